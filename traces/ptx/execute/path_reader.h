#pragma once

#include <optional>

#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {

/// Builds the records of the cells from one block end to the next.
class StepBuilder {
 public:
  /// Begins in state `from`. `local_row`: operand of accesses to local memory.
  StepBuilder(const DecodedKernel& kernel, const RunState& from, std::uint16_t local_row)
      : kernel_(kernel), local_row_(local_row), run_(from) {}
  void read(const PathCell* begin, const PathCell* end);
  Step& step() { return step_; }
  RunState& run() { return run_; }
  /// The step depends on earlier counts, so it is not worth keeping.
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

/// Converts the cells of a warp to the executed instructions.
class PathReader {
 public:
  /// For a warp that executed operations of `kernel`; writes to `path`.
  PathReader(const DecodedKernel& kernel, PathLibrary& library, CtaPath& path)
      : kernel_(kernel), library_(library), path_(path), loads_(kernel.load_slots) {}
  void read(const PathCell* begin, const PathCell* end);

 private:
  struct Load {
    std::size_t segment = 0;
    std::uint32_t record = 0;
    std::uint64_t number = 0;  ///< index of the record in its warp
  };

  void take(const Step& step, const PathSegment& segment);
  std::uint32_t repeats(const Step& step, const PathCell* cell, const PathCell* end);
  Pattern& keep(const Pattern& pattern);
  const PathCell* read_new(const PathCell* cell, const PathCell* end);
  void use(const Load& load, std::uint64_t reader);

  const DecodedKernel& kernel_;
  PathLibrary& library_;
  CtaPath& path_;
  std::vector<Load> loads_;      ///< by slot
  std::vector<PathCell> steps_;  ///< of the cells of a loop
  std::uint64_t records_ = 0;    ///< of this warp, so far
  KnownState* state_ = nullptr;  ///< null: the state is `run_`
  RunState run_;
};

}  // namespace strata::traces::ptx
