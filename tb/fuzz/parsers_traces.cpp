// Readers of traces, records, kernels and workloads.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tb/fuzz/parsers.h"
#include "tb/fuzz/ptx_check.h"
#include "traces/cuda/fat_binary.h"
#include "traces/record/record_format.h"
#include "traces/synthetic/synthetic_params.h"
#include "traces/tools.h"
#include "traces/workloads/workload.h"

namespace strata::tb {
namespace {

constexpr std::uint64_t most_buffer_bytes = std::uint64_t{16} << 20;  // that a fuzzer has time to fill
constexpr std::size_t most_launches = 1000;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void read_trace(const fs::path& file) {
  traces::check(file.string());
}

/// A zstd frame that holds `data` as they are, without a checksum: RFC 8878, section 3.1.1.
std::string stored(std::string_view data) {
  std::string frame("\x28\xb5\x2f\xfd\xa0", 5);  // magic; one segment, content size in four bytes
  traces::record::put_u32(frame, static_cast<std::uint32_t>(data.size()));
  const auto header = static_cast<std::uint32_t>(data.size() << 3 | 1);  // the last block, raw
  for (int i = 0; i < 3; ++i) frame.push_back(static_cast<char>(header >> (8 * i)));
  return frame.append(data);
}

/// A record around the messages of an input, so that checksums and offsets keep nothing from the reader:
/// sizes of the first two as 16 bits, header, block, index without the size of the block.
std::string record_of(const std::string& input) {
  if (input.size() < 4) return input;
  const auto size_at = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(input[at]) |
                                    static_cast<unsigned char>(input[at + 1]) << 8);
  };
  const std::size_t header_end = std::min(4 + size_at(0), input.size());
  const std::size_t block_end = std::min(header_end + size_at(2), input.size());
  const std::string header = stored(std::string_view(input).substr(4, header_end - 4));
  const std::string block = stored(std::string_view(input).substr(header_end, block_end - header_end));
  std::string index = input.substr(block_end);
  index.push_back(2 << 3);  // Index.sizes
  traces::record::put_varint(index, block.size());
  std::string file(traces::record::magic);
  traces::record::put_u32(file, traces::record::version);
  traces::record::put_u32(file, static_cast<std::uint32_t>(header.size()));
  file += header + block;
  const std::uint64_t at = file.size();
  file += stored(index);
  const std::uint64_t end = file.size();
  traces::record::put_u64(file, at);
  traces::record::put_u64(file, end - at);
  return file.append(traces::record::end_magic);
}

void read_record_parts(const fs::path& file) {
  const fs::path whole = file.parent_path() / "whole.strata";
  std::ofstream(whole, std::ios::binary | std::ios::trunc) << record_of(text_of(file));
  read_trace(whole);
}

void read_synthetic(const fs::path& file) {
  traces::parse_synthetic(text_of(file));
}

void read_workload(const fs::path& file) {
  const auto workload = traces::Workload::load(file.string());
  std::uint64_t bytes = 0;
  for (const traces::WorkloadBuffer& buffer : workload->definition().buffers) bytes += buffer.bytes();
  if (bytes > most_buffer_bytes || workload->definition().launches.size() > most_launches) return;
  workload->make();
}

void read_fat_binary(const fs::path& file) {
  const std::string data = text_of(file);
  for (const cuda::FatEntry& entry : cuda::read_fat_binary(data.data(), data.size()))
    if (entry.ptx) cuda::ptx_text(entry);
}

void read_ptx(const fs::path& file) {
  const std::string text = text_of(file);
  const auto program = traces::PtxProgram::parse(text, "fuzz.ptx");
  if (!check_ptx(text)) throw std::logic_error("taken once, refused the second time");
  run_ptx(program);
}

}  // namespace

std::vector<FuzzedParser> trace_parsers() {
  return {{"accelsim", "trace.traceg", true, read_trace},
          {"tracez", "kernel.tracez", false, read_trace},
          {"kernelslist", "list.g", true, read_trace},
          {"record", "trace.strata", false, read_trace},
          {"record_parts", "parts.bin", false, read_record_parts},
          {"synthetic", "spec.txt", true, read_synthetic},
          {"workload", "w.yaml", true, read_workload},
          {"fat_binary", "program.fatbin", false, read_fat_binary},
          {"ptx", "k.ptx", true, read_ptx}};
}

}  // namespace strata::tb
