#pragma once

#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {

/// Makes of the cells of a warp what it executed.
class PathReader {
 public:
  /// Of a warp that executed operations of `kernel`; into `path`.
  PathReader(const DecodedKernel& kernel, PathLibrary& library, CtaPath& path)
      : kernel_(kernel), library_(library), path_(path), loads_(kernel.load_slots) {}
  void read(const PathCell* begin, const PathCell* end);

 private:
  struct Load {
    std::size_t stretch = 0;
    std::uint32_t record = 0;
    std::uint64_t number = 0;  ///< of the record, in its warp
  };

  void take(const Step& step, const Stretch& stretch);
  std::uint32_t repeats(const Step& step, const PathCell* cell, const PathCell* end);
  Pattern& keep(const Pattern& pattern);
  const PathCell* read_new(const PathCell* cell, const PathCell* end);
  void use(const Load& load, std::uint64_t reader);

  const DecodedKernel& kernel_;
  PathLibrary& library_;
  CtaPath& path_;
  std::vector<Load> loads_;      ///< by slot
  std::vector<PathCell> steps_;  ///< of cells, in a loop
  std::uint64_t records_ = 0;    ///< of this warp, so far
  KnownState* state_ = nullptr;  ///< null: it is `run_`
  RunState run_;
};

}  // namespace strata::traces::ptx
