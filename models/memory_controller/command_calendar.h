#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

/// In which cycles commands planned ahead will issue, as bitmaps over a sliding window: the command buses,
/// and what the distance between reads keeps free on the channel and in each bank group. Plans may come in
/// any order of time; each gets the first cycle that suits it.
class CommandCalendar {
 public:
  explicit CommandCalendar(const TimingSet& set);

  /// Nothing will be planned before `now` any more.
  void slide(Cycle now) {
    if (now / 64 > base_) advance(now / 64);
  }
  bool row_free(Cycle cycle) {
    reach(cycle);
    return (at(cycle / 64)[rows] >> cycle % 64 & 1) == 0;
  }
  /// The first cycle from `from` on in which the row command bus is free.
  Cycle next_row(Cycle from);
  void take_row(Cycle cycle) {
    reach(cycle);
    at(cycle / 64)[rows] |= std::uint64_t{1} << cycle % 64;
  }
  /// Take the first cycle from `from` on in which RD may issue in `group`, as far as other reads go.
  Cycle take_read(Cycle from, std::size_t group);

 private:
  // Of each 64 cycles: the row command bus (with a single bus: the bus), reads on the channel, by group.
  static constexpr std::size_t rows = 0;
  static constexpr std::size_t reads = 1;
  static constexpr std::size_t first_group = 2;

  void advance(Cycle word);
  void grow();
  /// Reads within `distance` - 1 cycles of `at` are ruled out.
  void mark(std::size_t what, Cycle at, Cycle distance);
  std::uint64_t* at(Cycle word) { return &bits_[(word & mask_) * stride_]; }
  /// Make the window reach to `end`.
  void reach(Cycle end) {
    while (end / 64 >= base_ + mask_ + 1) grow();
  }

  Cycle short_;           // between reads of different groups
  Cycle long_;            // of the same
  std::uint64_t shared_;  // all ones: columns take the row command bus too
  std::size_t stride_;
  std::uint64_t mask_ = 15;  // words of the window - 1
  Cycle base_ = 0;           // first word of the window
  std::vector<std::uint64_t> bits_;
};

}  // namespace strata
