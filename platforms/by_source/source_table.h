#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/by_source/source_recorder.h"

namespace strata::platforms {

/// An instruction of a kernel: all its launches together.
struct SourceRow {
  std::string kernel;  ///< as the program spells it, without mangling
  std::uint32_t pc = 0;
  CodeLines::Place place;
  std::string file;     ///< of the source; empty: not known
  std::string listing;  ///< the PTX file; empty: there is none
  SourceFigures figures;
  double share = 0;  ///< of the cycles that all loads and atomics waited for their replies

  double lines_each() const;               ///< per warp instruction
  std::optional<double> hit_rate() const;  ///< none where no L1 decided about it
  std::optional<double> latency() const;   ///< of a warp instruction, up to its last reply; none of stores
  /// `copy.cu:12`, or of the PTX `copy.ptx:40`, or `PC 0x30`.
  std::string where() const;
};

/// The instruction with the most cycles first, stores behind. `sources`: of the applications, in their order.
std::vector<SourceRow> source_rows(const SourceRecorder::Figures& figures,
                                   const std::vector<InstructionSource*>& sources);
/// by_source.csv
std::string by_source_csv(const std::vector<SourceRow>& rows);
/// The first rows for a terminal, with the text of the source where the file can be read.
std::string by_source_text(const std::vector<SourceRow>& rows);

}  // namespace strata::platforms
