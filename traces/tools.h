#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/open.h"
#include "traces/record/record_writer.h"
#include "traces/selection.h"

/// The C++ interface of `strata trace info`, `convert` and `check`.
namespace strata::traces {

/// Called after each CTA with the number done and the total; may be empty.
using ProgressFn = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Counts of a whole stream. Lines (128 B) and sectors (32 B) are counted per warp instruction after
/// coalescing; unique ones over everything that loads, stores and atomics touch.
struct TraceInfo {
  std::string source;
  std::uint64_t kernels = 0, copies = 0, copied_bytes = 0;
  std::uint64_t ctas = 0, warps = 0, warp_instructions = 0, thread_instructions = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(OpClass::count_)> instructions_by_class{};
  std::uint64_t global_load_lines = 0, global_load_sectors = 0;  ///< read-only loads included
  std::uint64_t read_only_load_lines = 0, read_only_load_sectors = 0;
  std::uint64_t global_store_lines = 0, global_store_sectors = 0;
  std::uint64_t atomic_lines = 0, atomic_sectors = 0;
  std::uint64_t bypass_l1_lines = 0;  ///< of the loads
  std::uint64_t unique_lines = 0, unique_sectors = 0;
  /// [n] = lines touched by n + 1 SM clusters, where CTA i of a kernel runs on cluster i modulo their number.
  std::vector<std::uint64_t> lines_by_clusters;
  /// Lines touched by at least two clusters within a launch, summed over launches, and how many of these the
  /// launch does not write.
  std::uint64_t launch_shared_lines = 0, launch_shared_read_only_lines = 0;
  std::uint64_t window_shared_lines = 0;  ///< shared_lines() of the first `window` thread instructions

  std::uint64_t footprint_bytes() const { return unique_lines * 128; }
  std::uint64_t shared_lines() const;  ///< touched by at least two clusters
};

constexpr int max_clusters = 64;

/// Reads everything and counts. `clusters` is 1 to 64. `window` ends with the CTA that reaches this number of
/// thread instructions. Memory: 64 to 128 B per unique line.
TraceInfo analyse(InstructionSource& source, int clusters = 8, const ProgressFn& progress = {},
                  std::uint64_t window = ~std::uint64_t{0});

/// One JSON object; its names are stable.
std::string to_json(const TraceInfo& info);
/// As text for users.
std::string to_text(const TraceInfo& info);

/// Copies every kernel, CTA and copy of `source` to a record file at `path`; returns its size in bytes. The
/// same source gives the same bytes.
std::uint64_t convert(InstructionSource& source, const std::string& path, const ProgressFn& progress = {},
                      int level = RecordWriter::default_level);

struct CheckReport {
  std::uint64_t kernels = 0, ctas = 0, warp_instructions = 0;
  std::vector<std::string> notes;  ///< notes_of() the source, and its gaps
};

/// Reads everything that `open_trace` takes. Throws TraceError for the first fault: faults of readers,
/// accesses whose addresses are all zero, warps without EXIT for all their threads, inconsistent counts.
CheckReport check(const std::string& path_or_spec, const ProgressFn& progress = {},
                  const LaunchSelection& selection = {});

}  // namespace strata::traces
