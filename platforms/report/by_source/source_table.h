#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/report/by_source/source_recorder.h"

namespace strata::platforms {

/// An instruction of a kernel, over all launches.
struct SourceRow {
  std::string kernel;  ///< demangled, as in the source
  std::uint32_t pc = 0;
  CodeLines::Place place;
  std::string file;     ///< source file; empty: unknown
  std::string listing;  ///< PTX file; empty: none
  SourceFigures figures;
  double share = 0;   ///< of the cycles in which loads and atomics were in flight
  double stalls = 0;  ///< of the cycles in which warps waited for loads

  double lines_each() const;               ///< per warp instruction
  std::optional<double> hit_rate() const;  ///< no value if no L1 looked it up
  std::optional<double> latency()
      const;  ///< cycles of a warp instruction up to its last reply; no value for stores
  /// `copy.cu:12`, or in PTX `copy.ptx:40`, or `PC 0x30`.
  std::string where() const;
};

/// Rows by cycles, highest first; stores come last. `sources`: of the applications, in their order.
std::vector<SourceRow> source_rows(const SourceRecorder::Figures& figures,
                                   const std::vector<InstructionSource*>& sources);
/// by_source.csv
std::string by_source_csv(const std::vector<SourceRow>& rows);
/// The first rows for a terminal, with the source text if the file can be read.
std::string by_source_text(const std::vector<SourceRow>& rows);

}  // namespace strata::platforms
