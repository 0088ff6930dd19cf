#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Sizes of a sharing profile.
struct SharingWindowsParams {
  std::uint64_t window = 1000;  // cycles; both papers
  int sharers = 8;              // clusters, or SMs
};

/// How many sharers (clusters or SMs) touch a line in one window of time. A line counts once in every window
/// in which it is touched: "lines" here are line-windows.
class SharingWindows {
 public:
  explicit SharingWindows(const SharingWindowsParams& params);

  /// `now` may go backwards: an access older than the window counts in it.
  void observe(std::uint64_t line, int sharer, Cycle now);
  /// Ends the last window.
  void finish();
  /// Line-windows with from..to sharers; finished windows only.
  std::uint64_t lines(int from, int to) const;
  std::uint64_t lines() const { return lines(1, params_.sharers); }
  /// Share of line-windows with at least `from` sharers, 0 to 1.
  double share_from(int from) const;
  const SharingWindowsParams& params() const { return params_; }

 private:
  struct Slot {
    std::uint64_t line = 0;
    std::uint32_t generation = 0;  // slots of older windows are free
  };
  std::size_t find(std::uint64_t line);
  void close_window();
  void grow();

  SharingWindowsParams params_;
  int words_;  // of a slot's set of sharers
  Cycle window_end_;
  std::uint32_t generation_ = 1;
  std::vector<Slot> slots_;             // open addressing, a power of two
  std::vector<std::uint64_t> sharers_;  // words_ a slot
  std::vector<std::uint32_t> used_;     // slots of this window
  std::vector<std::uint64_t> lines_by_sharers_;
};

}  // namespace strata
