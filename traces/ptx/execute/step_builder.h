#pragma once

#include <optional>

#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {

/// What the cells from one end of a block to the next are recorded as.
class StepBuilder {
 public:
  /// From this state on. `local_row`: operand of accesses to local memory.
  StepBuilder(const DecodedKernel& kernel, const RunState& from, std::uint16_t local_row)
      : kernel_(kernel), local_row_(local_row), run_(from) {}
  void read(const PathCell* begin, const PathCell* end);
  Step& step() { return step_; }
  RunState& run() { return run_; }
  /// Other blocks may come with other counts of what went before: it is not worth keeping.
  bool rare() const { return rare_; }

 private:
  void read_cell(const PathCell* cell, std::uint32_t at);
  void read_access(const Op& op, const PathCell* cell, std::uint32_t at);
  void end_block(const PathCell* end);
  void pass_marks(std::uint32_t up_to);
  void first_use(const Mark& mark);
  void account(std::uint32_t seq, const std::uint32_t* units);
  void end_run();
  WarpInstruction& add();
  std::uint32_t next_record() const { return static_cast<std::uint32_t>(step_.records.size()); }

  const DecodedKernel& kernel_;
  const std::uint16_t local_row_;
  RunState run_;
  Step step_;
  std::vector<Mark>::const_iterator mark_;
  bool rare_ = false;
  std::optional<std::uint16_t> operand_;                   ///< of the next record
  std::uint32_t seq_ = 0, units_seq_[counted_units] = {};  ///< of the block, up to the last record
};

}  // namespace strata::traces::ptx
