#include "traces/record/record_writer.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "models/common/faults.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unversioned"
#endif

namespace strata::traces {
namespace {

void put_kernel(const KernelInfo& info, wire::Kernel& out) {
  out.set_name(info.name);
  out.set_grid_x(info.grid.x);
  out.set_grid_y(info.grid.y);
  out.set_grid_z(info.grid.z);
  out.set_block_x(info.block.x);
  out.set_block_y(info.block.y);
  out.set_block_z(info.block.z);
  out.set_shared_bytes(info.shared_bytes);
  out.set_registers(info.registers);
  out.set_application(info.application);
  out.set_stream(info.stream);
  out.set_priority(info.priority);
  for (const std::uint32_t kernel : info.after) out.add_after(kernel);
  if (info.cluster.count() == 1) return;
  out.set_cluster_x(info.cluster.x);
  out.set_cluster_y(info.cluster.y);
  out.set_cluster_z(info.cluster.z);
}

void put_copy(const MemcpyInfo& copy, wire::Copy& out) {
  out.set_address(copy.address);
  out.set_bytes(copy.bytes);
  out.set_before_kernel(copy.before_kernel);
}

void put_instruction(const record::Dictionary::Entry& entry, wire::Instruction& out) {
  const WarpInstruction& i = entry.instruction;
  out.set_pc(i.pc);
  out.set_op(static_cast<std::uint32_t>(i.op));
  out.set_address_kind(static_cast<std::uint32_t>(i.address_kind));
  out.set_width(i.width);
  out.set_first_use(i.first_use);
  out.set_flags((i.non_coherent ? 1u : 0u) | (i.bypass_l1 ? 2u : 0u) | i.element << 2 | (i.local ? 16u : 0u) |
                (i.async ? 32u : 0u) | (i.bulk ? 64u : 0u));
  out.set_sync(static_cast<std::uint32_t>(i.sync));
  out.set_operand(i.operand);
  out.set_destination((i.destination + 1u) % 256);  // most entries then have 0, which takes no bytes
  out.set_destination_count(i.destination_count - 1);
  out.set_weight(i.weight - 1);
  if (i.sources != WarpInstruction().sources)
    out.set_sources(reinterpret_cast<const char*>(i.sources.data()), i.sources.size());
  if (i.units != WarpInstruction().units)
    out.set_units(reinterpret_cast<const char*>(i.units.data()), i.units.size());
}

/// The source lines of all kernels; shared ones are written once.
void put_lines(const std::vector<const CodeLines*>& of_kernels, wire::Index& out) {
  std::map<const CodeLines*, std::uint32_t> known;
  for (const CodeLines* const lines : of_kernels) {
    if (lines == nullptr || lines->places.empty() || !known.emplace(lines, known.size() + 1).second) continue;
    out.add_codes(encode(*lines));
  }
  for (const CodeLines* const lines : of_kernels) {
    const auto found = known.find(lines);
    if (!known.empty()) out.add_code_of_kernel(found == known.end() ? 0 : found->second);
  }
}

Draft draft_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw ConfigError(Faults{{{path, 0, 0}, "cannot write: it is not a regular file"}});
  return Draft::file(path);
}

}  // namespace

RecordWriter::RecordWriter(std::string path, const std::string& source_description,
                           std::vector<KernelInfo> kernels, const std::vector<MemcpyInfo>& copies, int level)
    : path_(std::move(path)), draft_(draft_of(path_)), level_(level) {
  wire::Header header;
  header.set_source(source_description);
  header.set_tool("Strata " STRATA_VERSION);
  for (KernelInfo& info : kernels) {
    put_kernel(info, *header.add_kernels());
    kernels_.emplace_back();
    kernels_.back().added.resize(info.ctas());
    kernels_.back().info = std::move(info);
  }
  early_kernels_ = kernels_.size();
  for (const MemcpyInfo& copy : copies) put_copy(copy, *header.add_copies());
  const std::string frame = record::compress(header.SerializeAsString(), level_);
  std::string start(record::magic);
  record::put_u32(start, record::version);
  record::put_u32(start, static_cast<std::uint32_t>(frame.size()));

  file_ = ::fdopen(::dup(draft_.descriptor()), "wb");
  if (file_ == nullptr) fail("cannot write", errno);
  try {
    write(start);
    write(frame);
  } catch (...) {  // no destructor runs when a constructor fails
    std::fclose(file_);
    throw;
  }
}

RecordWriter::~RecordWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void RecordWriter::fail(const std::string& what, int error) {
  throw ConfigError(Faults{{{path_, 0, 0},
                            what + ": " + std::strerror(error) +
                                "; the file that was being written is "
                                "removed and an earlier one of this name is untouched"}});
}

void RecordWriter::write(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("cannot write", errno);
  content_.add(bytes);
  offset_ += bytes.size();
}

std::uint32_t RecordWriter::begin_kernel(KernelInfo info) {
  info.id = static_cast<std::uint32_t>(kernels_.size());
  kernels_.emplace_back();
  kernels_.back().added.resize(info.ctas());
  kernels_.back().info = std::move(info);
  return kernels_.back().info.id;
}

bool RecordWriter::cut_kernel() {
  Kernel& last = kernels_.back();
  std::uint32_t there = 0;
  while (there < last.added.size() && last.added[there]) ++there;
  if (there == 0) {
    kernels_.pop_back();
  } else if (there < last.added.size()) {
    last.info.grid = {there, 1, 1};
    last.info.cluster = Dim3();  // the launch may end in the middle of one
    last.added.resize(there);
  }
  return there != 0;
}

/// Checks that the CTAs may be added, and marks them as added.
void RecordWriter::claim(std::uint32_t kernel, std::uint64_t first, std::uint64_t count) {
  const auto name = [&](std::uint64_t cta) {
    return "thread block " + std::to_string(cta) + " of kernel " + std::to_string(kernel);
  };
  const std::uint64_t there = kernel < kernels_.size() ? kernels_[kernel].added.size() : 0;
  if (first >= there || count > there - first)
    throw TraceError(Fault{{path_, 0, 0}, name(first) + " is not part of the kernels to be recorded"});
  for (std::uint64_t cta = first; cta < first + count; ++cta) {
    if (kernels_[kernel].added[cta])
      throw TraceError(Fault{{path_, 0, 0}, name(cta) + " was recorded before"});
    kernels_[kernel].added[cta] = true;
  }
}

void RecordWriter::add(std::uint32_t kernel, const CtaTrace& cta) {
  claim(kernel, cta.index, 1);
  const std::string name =
      "thread block " + std::to_string(cta.index) + " of kernel " + std::to_string(kernel);
  const std::uint32_t warps = kernels_[kernel].info.warps_per_cta();
  if (cta.warps() != warps)
    throw TraceError(
        Fault{{path_, 0, 0},
              name + ": expected " + std::to_string(warps) + " warps, found " + std::to_string(cta.warps())});
  try {
    encoder_.add(kernel, cta);
    warp_instructions_ += cta.instructions.size();
    if (encoder_.full()) close_block();
  } catch (const record::FormatFault& fault) {
    throw TraceError(Fault{{path_, 0, 0}, name + ": " + fault.what()});
  }
}

void RecordWriter::add(std::uint32_t kernel, record::EncodedCtas& ctas, std::uint64_t known,
                       const std::vector<record::StaticPart>& entries) {
  bool follows = known == dictionary_.size();
  for (const record::StaticPart& entry : entries)
    follows = follows && dictionary_.code(entry) + 1 == dictionary_.size();
  if (!follows)
    throw TraceError(
        Fault{{path_, 0, 0}, "two programs launch kernels at the same time: record one, or both apart"});
  claim(kernel, ctas.first, ctas.count);
  if (ctas.begins_block && !encoder_.empty()) close_block();
  encoder_.append(kernel, ctas);
  warp_instructions_ += ctas.instructions;
}

void RecordWriter::close_block() {
  blocks_.push_back({encoder_.parts(), 0});
  const std::string frame = encoder_.finish(level_);
  blocks_.back().bytes = frame.size();
  write(frame);
}

std::string RecordWriter::index_message() const {
  wire::Index index;
  index.set_warp_instructions(warp_instructions_);
  index.set_content(content_.word());
  for (const record::Dictionary::Entry& entry : dictionary_.entries())
    put_instruction(entry, *index.add_dictionary());
  for (std::size_t k = early_kernels_; k < kernels_.size(); ++k)
    put_kernel(kernels_[k].info, *index.add_late_kernels());
  for (const MemcpyInfo& copy : late_copies_) put_copy(copy, *index.add_late_copies());
  std::vector<const CodeLines*> lines;
  for (const Kernel& kernel : kernels_) lines.push_back(kernel.info.lines.get());
  put_lines(lines, index);
  for (const SourceGap& gap : gaps_) {
    wire::Gap& out = *index.add_gaps();
    out.set_kernel(gap.kernel);
    out.set_reason(gap.reason);
    out.set_count(gap.count);
  }
  for (const Block& block : blocks_) {
    index.add_sizes(block.bytes);
    index.add_parts(static_cast<std::uint32_t>(block.parts.size()));
    for (const record::Part& part : block.parts) {
      index.add_kernels(part.kernel);
      index.add_firsts(part.first);
      index.add_counts(part.count);
    }
  }
  return index.SerializeAsString();
}

void RecordWriter::finish() {
  for (const Kernel& kernel : kernels_)
    for (std::size_t i = 0; i < kernel.added.size(); ++i)
      if (!kernel.added[i])
        throw TraceError(Fault{{path_, 0, 0},
                               "thread block " + std::to_string(i) + " of kernel '" + kernel.info.name +
                                   "' was never recorded"});
  if (!encoder_.empty()) close_block();
  const std::string frame = record::compress(index_message(), level_);
  std::string trailer;
  record::put_u64(trailer, offset_);
  record::put_u64(trailer, frame.size());
  trailer.append(record::end_magic);
  write(frame);
  write(trailer);
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail("cannot write", errno);
  std::FILE* const done = file_;
  file_ = nullptr;
  if (std::fclose(done) != 0) fail("cannot write", errno);
  draft_.commit(path_);
}

}  // namespace strata::traces
