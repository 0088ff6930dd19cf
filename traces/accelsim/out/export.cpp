#include "traces/accelsim/out/export.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <lzma.h>
#include <set>
#include <utility>
#include <vector>

#include "models/common/faults.h"
#include "models/io/draft.h"

namespace strata::traces {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;
constexpr std::uint32_t xz_level = 3;

std::string triple(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

std::string window(Address base) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(base));
  return text;
}

/// A name extends to the end of its line.
std::string one_line(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return name.empty() ? "kernel" : name;
}

/// Position of the `index`-th block in launch order, x first.
Dim3 place_of(std::uint64_t index, const Dim3& grid) {
  return {static_cast<std::uint32_t>(index % grid.x), static_cast<std::uint32_t>(index / grid.x % grid.y),
          static_cast<std::uint32_t>(index / grid.x / grid.y)};
}

class XzEncoder {
 public:
  XzEncoder() {
    if (lzma_easy_encoder(&lzma_, xz_level, LZMA_CHECK_CRC64) != LZMA_OK)
      throw OutOfMemory("compressing a trace");
  }
  ~XzEncoder() { lzma_end(&lzma_); }
  XzEncoder(const XzEncoder&) = delete;
  XzEncoder& operator=(const XzEncoder&) = delete;

  /// Compresses `size` bytes at `data` and appends the output; `last`: end of the data.
  void add(const char* data, std::size_t size, bool last, std::ofstream& to) {
    lzma_.next_in = reinterpret_cast<const std::uint8_t*>(data);
    lzma_.avail_in = size;
    lzma_ret result = LZMA_OK;
    do {
      lzma_.next_out = reinterpret_cast<std::uint8_t*>(out_.data());
      lzma_.avail_out = out_.size();
      result = lzma_code(&lzma_, last ? LZMA_FINISH : LZMA_RUN);
      if (result == LZMA_MEM_ERROR) throw OutOfMemory("compressing a trace");
      to.write(out_.data(), static_cast<std::streamsize>(out_.size() - lzma_.avail_out));
    } while (lzma_.avail_out == 0 || (last && result == LZMA_OK));
  }

 private:
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  std::vector<char> out_ = std::vector<char>(std::size_t{1} << 16);
};

}  // namespace

KernelWriter::KernelWriter(std::string path, KernelInfo kernel)
    : path_(std::move(path)), kernel_(std::move(kernel)), file_(path_, std::ios::binary | std::ios::trunc) {
  check(file_.is_open());
  text_ = header();
}

void KernelWriter::check(bool good) const {
  if (!good) throw ConfigError("cannot write '" + path_ + "': " + std::strerror(errno));
}

/// Always the same length, so that it can be rewritten at the end.
std::string KernelWriter::header() const {
  const Address shared = written_shared_base, local = written_local_base;
  std::string text = "-kernel name = " + one_line(kernel_.name);
  text += "\n-kernel id = " + std::to_string(kernel_.id + 1);
  text += "\n-grid dim = " + triple(kernel_.grid) + "\n-block dim = " + triple(kernel_.block);
  if (kernel_.cluster.count() > 1) text += "\n-cluster dim = " + triple(kernel_.cluster);
  text += "\n-shmem = " + std::to_string(kernel_.shared_bytes);
  text += "\n-nregs = " + std::to_string(kernel_.registers);
  text += std::string("\n-binary version = ") + (instructions_.needs_hopper()   ? "90"
                                                 : instructions_.needs_ampere() ? "80"
                                                                                : "70");
  text += "\n-cuda stream id = " + std::to_string(kernel_.stream);
  text += "\n-shmem base_addr = " + window(shared) + "\n-local mem base_addr = " + window(local);
  text += "\n-nvbit version = none";
  text += std::string("\n-accelsim tracer version = ") + (instructions_.needs_second_immediate() ? "6" : "5");
  text += "\n-enable lineinfo = 0";
  text += std::string("\n-strata branches = ") +
          (instructions_.branches_are_arithmetic() ? "arithmetic" : "control   ");
  text += std::string("\n-strata runs = ") + (instructions_.has_runs() ? "merged" : "single");
  return text +
         "\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
         "[address_mode] [mem_addresses] immediate\n\n";
}

void KernelWriter::add(const CtaTrace& cta) {
  const Dim3 place = place_of(cta.index, kernel_.grid);
  text_ += "#BEGIN_TB\n\nthread block = " + std::to_string(place.x) + "," + std::to_string(place.y) + "," +
           std::to_string(place.z) + "\n\n";
  for (std::uint32_t warp = 0; warp < cta.warps(); ++warp) {
    instructions_.add_warp(cta, warp, text_);
    if (text_.size() >= most_text) flush();
  }
  text_ += "#END_TB\n\n";
}

void KernelWriter::flush() {
  errno = 0;
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  check(file_.good());
  text_.clear();
}

void KernelWriter::finish() {
  flush();
  errno = 0;
  bytes_ = static_cast<std::uint64_t>(file_.tellp());
  file_.seekp(0);
  const std::string complete = header();
  file_.write(complete.data(), static_cast<std::streamsize>(complete.size()));
  file_.close();
  check(!file_.fail());
}

void KernelWriter::finish_compressed() {
  finish();
  errno = 0;
  std::ifstream plain(path_, std::ios::binary);
  std::ofstream compressed(path_ + ".xz", std::ios::binary | std::ios::trunc);
  check(plain.is_open() && compressed.is_open());
  XzEncoder encoder;
  std::vector<char> block(most_text);
  while (plain) {
    plain.read(block.data(), static_cast<std::streamsize>(block.size()));
    encoder.add(block.data(), static_cast<std::size_t>(plain.gcount()), !plain, compressed);
  }
  bytes_ = static_cast<std::uint64_t>(compressed.tellp());
  compressed.close();
  check(!compressed.fail() && plain.eof());
  std::remove(path_.c_str());
}

namespace {

std::string copy_line(const MemcpyInfo& copy) {
  char text[64];
  std::snprintf(text, sizeof text, "MemcpyHtoD,0x%016llx,%llu\n",
                static_cast<unsigned long long>(copy.address), static_cast<unsigned long long>(copy.bytes));
  return text;
}

void add(ExportLosses& to, const ExportLosses& more) {
  to.waits_moved += more.waits_moved;
  to.sources_dropped += more.sources_dropped;
  to.without_register += more.without_register;
  to.bulk_copies += more.bulk_copies;
  to.orders += more.orders;
}

/// Lines of the list that order launches: calls of streams and events, which Accel-Sim skips.
class OrderLines {
 public:
  explicit OrderLines(const std::vector<KernelInfo>& kernels) {
    for (const KernelInfo& kernel : kernels) awaited_.insert(kernel.after.begin(), kernel.after.end());
  }
  /// Lines before a kernel. In CUDA the lower number has priority.
  std::string before(const KernelInfo& kernel) {
    std::string lines;
    const std::string stream = std::to_string(kernel.stream);
    if (kernel.priority != 0 && created_.insert(kernel.stream).second)
      lines += "cudaStreamCreateWithPriority," + stream + ",0," + std::to_string(-kernel.priority) + "\n";
    for (const std::uint32_t other : kernel.after)
      lines += "cudaStreamWaitEvent," + stream + "," + event_of(other) + "\n";
    return lines;
  }
  std::string behind(const KernelInfo& kernel) const {
    if (awaited_.count(kernel.id) == 0) return {};
    return "cudaEventRecord," + event_of(kernel.id) + "," + std::to_string(kernel.stream) + "\n";
  }

 private:
  static std::string event_of(std::uint32_t kernel) { return std::to_string(kernel + 1); }

  std::set<std::uint32_t> awaited_;
  std::set<std::uint64_t> created_;
};

/// Copies before a kernel.
void add_copies(const InstructionSource& source, std::size_t& next, std::uint64_t kernel, std::string& list) {
  const std::vector<MemcpyInfo>& copies = source.copies();
  for (; next < copies.size() && copies[next].before_kernel <= kernel; ++next)
    list += copy_line(copies[next]);
}

}  // namespace

ExportReport export_accelsim(InstructionSource& source, const std::string& folder, bool compress,
                             const ProgressFn& progress) {
  ExportReport report;
  std::uint64_t all = 0;
  for (const KernelInfo& kernel : source.kernels()) all += kernel.ctas();
  std::string list;
  std::size_t copy = 0;
  OrderLines order(source.kernels());
  // By index: kernels of some sources are appended while they are launched.
  for (std::uint32_t k = 0; k < source.kernels().size(); ++k) {
    const KernelInfo kernel = source.kernels()[k];
    const std::string name = "kernel-" + std::to_string(k + 1) + ".traceg";
    KernelWriter writer(folder + "/" + name, kernel);
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      writer.add(*source.fetch(k, cta));
      if (progress) progress(++report.ctas, all);
    }
    if (!progress) report.ctas += kernel.ctas();
    compress ? writer.finish_compressed() : writer.finish();
    add_copies(source, copy, k, list);
    list += order.before(kernel) + name + (compress ? ".xz\n" : "\n") + order.behind(kernel);
    ++report.kernels;
    report.instructions += writer.instructions().instructions();
    report.bytes += writer.bytes();
    add(report.losses, writer.instructions().losses());
  }
  add_copies(source, copy, ~std::uint64_t{0}, list);
  write_file(folder + "/kernelslist.g", list);
  return report;
}

bool is_export_name(std::string_view name) {
  return name == "kernelslist.g" || name.substr(0, 7) == "kernel-" || name.substr(0, 14) == ".kernelslist.g";
}

std::vector<std::string> to_sentences(const ExportLosses& losses) {
  std::vector<std::string> all;
  const auto tell = [&all](std::uint64_t count, const std::string& what) {
    if (count != 0) all.push_back(std::to_string(count) + " " + what);
  };
  tell(losses.waits_moved,
       "loads are waited for an instruction later: more than 4 are first read by the same one");
  tell(losses.sources_dropped, "source registers are left out: Accel-Sim takes 4 of an instruction");
  tell(losses.without_register, "loads are not waited for: all 255 registers are in use");
  tell(losses.bulk_copies,
       "parts of bulk copies that report to no barrier are written as asynchronous copies of their warp, and "
       "nothing waits for them");
  tell(losses.orders,
       "instructions of groups of bulk copies, and reports of bytes without a copy, take an issue slot and "
       "order "
       "nothing: traces have no form for them");
  return all;
}

}  // namespace strata::traces
