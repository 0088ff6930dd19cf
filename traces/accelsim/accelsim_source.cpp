#include "traces/accelsim/accelsim_source.h"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "traces/record/block_codec.h"
#include "traces/record/record_format.h"

namespace strata::traces {
namespace {

constexpr int pack_level = 1;  // zstd
constexpr std::uint64_t most_list_lines = 1'000'000;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t max_cursors = 128;  // kernels that run at the same time; more kernels cause re-reading

}  // namespace

bool is_kernel_file(std::string_view path) {
  for (const std::string_view end : {".traceg", ".traceg.xz", ".traceg.zst", ".tracez"})
    if (ends_with(path, end)) return true;
  return false;
}

struct AccelsimSource::Cursor {
  explicit Cursor(std::unique_ptr<KernelFile> reader) : file(std::move(reader)) {}
  /// Reads the next CTA. A file with a fault keeps it.
  std::shared_ptr<CtaTrace> next() {
    if (fault != nullptr) std::rethrow_exception(fault);
    try {
      return file->next();
    } catch (...) {
      fault = std::current_exception();
      throw;
    }
  }
  std::unique_ptr<KernelFile> file;
  std::exception_ptr fault;
  record::Dictionary dictionary;
  std::map<std::uint64_t, std::string> skipped;  // skipped CTAs, packed as in a record file
  std::uint64_t used = 0;
};

AccelsimSource::AccelsimSource(const std::string& path, AccelsimOptions options)
    : options_(options), path_(path) {
  if (is_kernel_file(path))
    add_kernel(path);
  else
    read_list(path);
  description_ = "Accel-Sim trace " + path;
}

AccelsimSource::~AccelsimSource() = default;

void AccelsimSource::read_list(const std::string& path) {
  LineReader lines(path);
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::string_view line;
  while (lines.next_filled(line)) {
    if (lines.line_number() > most_list_lines)
      lines.fail("expected at most " + std::to_string(most_list_lines) + " lines in a list of kernels");
    if (lines.line_number() == 1 && starts_with(line, byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    if (is_kernel_file(line)) {
      try {
        add_kernel((directory / line).string());
      } catch (const TraceError& error) {
        if (error.fault().where.line == 0) lines.fail(error.what());  // cannot be opened: a fault of the list
        throw;
      }
    } else if (!order_.take(lines, line)) {
      refuse(lines, line);
    }
  }
  if (kernels_.empty())
    lines.fail("expected at least one line 'kernel-N.traceg' or 'kernel-N.tracez', found none");
}

void AccelsimSource::refuse(const LineReader& lines, std::string_view line) {
  const std::string expected = "expected a kernel file ending in .traceg, .traceg.xz or .tracez";
  if (ends_with(line, ".trace") || ends_with(line, ".trace.xz"))
    lines.fail(expected + ", found " + quoted(line) +
               " (.trace files must go through post-traces-processing first)");
  if (line.find(".trace") != std::string_view::npos) lines.fail(expected + ", found " + quoted(line));
  lines.fail(
      expected +
      ", 'MemcpyHtoD,<hex address>,<bytes>', another call such as 'cudaStreamSynchronize,<stream>' or a "
      "comment '# ...', found " +
      quoted(line) + suggestion(line.substr(0, line.find_first_of(", \t(")), LaunchOrder::names()));
}

std::vector<std::string> AccelsimSource::files() const {
  std::vector<std::string> all = files_;
  all.push_back(path_);
  return all;
}

std::vector<std::string> AccelsimSource::notes() const {
  std::vector<std::string> lines;
  for (const std::string& note : order_.notes()) lines.push_back(path_ + ": " + note);
  if (replay_loops_ != 0)
    lines.push_back(
        path_ + ": loops that wait, read as one pass each (REPLAY_START): " + std::to_string(replay_loops_));
  return lines;
}

std::vector<SourceGap> AccelsimSource::gaps() const {
  std::vector<SourceGap> all;
  for (const auto& [place, count] : gaps_) all.push_back({place.first, std::string(place.second), count});
  return all;
}

void AccelsimSource::add_kernel(const std::string& path) {
  KernelFile file(path, options_.strict);
  file.find_cluster();
  KernelInfo info = file.header().info;
  info.id = static_cast<std::uint32_t>(kernels_.size());
  lines_.push_back(file.header().line_info ? std::make_shared<CodeLines>() : nullptr);
  info.lines = lines_.back();
  order_.launch(info);
  kernels_.push_back(std::move(info));
  files_.push_back(path);
}

AccelsimSource::Cursor& AccelsimSource::cursor(std::uint32_t kernel, std::uint64_t cta) {
  auto found = cursors_.find(kernel);
  if (found != cursors_.end() && found->second->file->position() > cta &&
      found->second->skipped.count(cta) == 0) {
    cursors_.erase(found);  // fetched before: restart
    found = cursors_.end();
  }
  if (found == cursors_.end()) {
    if (cursors_.size() >= max_cursors)
      cursors_.erase(std::min_element(cursors_.begin(), cursors_.end(), [](const auto& a, const auto& b) {
        return a.second->used < b.second->used;
      }));
    auto file = std::make_unique<KernelFile>(files_[kernel], options_.strict);
    file->set_cluster(kernels_[kernel].cluster);
    file->note_lines(lines_[kernel]);
    auto opened = std::make_unique<Cursor>(std::move(file));
    found = cursors_.emplace(kernel, std::move(opened)).first;
  }
  found->second->used = ++clock_;
  return *found->second;
}

std::shared_ptr<const CtaTrace> AccelsimSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  if (kernel >= kernels_.size() || cta >= kernels_[kernel].ctas())
    throw TraceError(
        Fault{{description_, 0, 0},
              "no thread block " + std::to_string(cta) + " in kernel " + std::to_string(kernel)});
  Cursor& reader = cursor(kernel, cta);
  const std::uint64_t loops = reader.file->replay_loops();
  const auto ignored = reader.file->ignored();
  const auto kept = reader.skipped.find(cta);
  if (kept != reader.skipped.end()) {
    std::shared_ptr<const CtaTrace> trace =
        record::unpack_cta(kept->second, kernel, cta, kernels_[kernel].warps_per_cta(), reader.dictionary);
    reader.skipped.erase(kept);
    return trace;
  }
  while (reader.file->position() < cta) {
    const std::uint64_t position = reader.file->position();
    const std::shared_ptr<CtaTrace> passed = reader.next();
    try {
      reader.skipped.emplace(position, record::pack_cta(kernel, *passed, reader.dictionary, pack_level));
    } catch (const record::FormatFault& fault) {
      throw TraceError(
          Fault{{files_[kernel], 0, 0},
                "thread block " + std::to_string(position) + " cannot be kept packed: " + fault.what()});
    }
  }
  std::shared_ptr<const CtaTrace> trace = reader.next();
  replay_loops_ += reader.file->replay_loops() - loops;
  for (const auto& [reason, count] : reader.file->ignored()) {
    const auto before = ignored.find(reason);
    const std::uint64_t more = count - (before == ignored.end() ? 0 : before->second);
    if (more != 0) gaps_[{kernel, reason}] += more;
  }
  if (reader.file->position() == kernels_[kernel].ctas() && reader.skipped.empty()) cursors_.erase(kernel);
  return trace;
}

}  // namespace strata::traces
