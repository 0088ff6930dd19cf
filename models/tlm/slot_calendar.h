#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Which cycles of a resource are taken, as a bitmap over a sliding window: what lt blocks book links, ports
/// and buses with. Bookings may come in any order of time; each gets the first free run.
///
/// Cycles before the window count as free and cannot be booked; runs beyond it are kept in order, one after
/// the other, and enter the bitmap when the window reaches them.
class SlotCalendar {
 public:
  /// `words`: 64 cycles each; a power of two.
  explicit SlotCalendar(std::size_t words = 64) : bits_(words), mask_(words - 1) {}

  /// Nothing will be asked about cycles before `now` any more.
  void slide(Cycle now) {
    if (now / 64 > base_) advance(now / 64);
  }
  /// The first free cycle that is not before `at`.
  Cycle find(Cycle at) const {
    if (at / 64 < base_) at = base_ * 64;
    for (Cycle word = at / 64; word < base_ + bits_.size(); ++word) {
      const std::uint64_t free = ~bits_[word & mask_] >> at % 64 << at % 64;
      if (free != 0) return word * 64 + static_cast<Cycle>(__builtin_ctzll(free));
      at = (word + 1) * 64;
    }
    return std::max(at, far_end_);
  }
  /// Take the first `count` free cycles that are not before `at`; the last of them.
  Cycle book(Cycle at, unsigned count) {
    if (at / 64 < base_) at = base_ * 64;
    for (Cycle word = at / 64; word < base_ + bits_.size(); ++word) {
      std::uint64_t& bits = bits_[word & mask_];
      const unsigned shift = at % 64;
      std::uint64_t free = ~bits >> shift << shift;
      const std::uint64_t run = ((std::uint64_t{1} << count) - 1) << shift;
      if (shift + count <= 64 && (free & run) == run) {  // nearly always
        bits |= run;
        return word * 64 + shift + count - 1;
      }
      while (free != 0) {
        const std::uint64_t first = free & (~free + 1);
        free ^= first;
        bits |= first;
        if (--count == 0) return word * 64 + static_cast<Cycle>(__builtin_ctzll(first));
      }
      at = (word + 1) * 64;
    }
    const Cycle start = std::max(at, far_end_);
    take_far(start, start + count);
    return start + count - 1;
  }
  /// Take the cycles from `at` to `end` - 1, whether they are free or not.
  void take(Cycle at, Cycle end) {
    if (at / 64 < base_) at = base_ * 64;
    if (at >= end) return;
    if ((end - 1) / 64 >= base_ + bits_.size()) return take_far(at, end);
    for (Cycle word = at / 64; word * 64 < end; ++word) {
      std::uint64_t cycles = ~std::uint64_t{0};
      if (word * 64 < at) cycles <<= at % 64;
      if (end - word * 64 < 64) cycles &= ~(~std::uint64_t{0} << (end % 64));
      bits_[word & mask_] |= cycles;
    }
  }
  /// Cycles that the bitmap holds, from the window's first one on.
  std::size_t window() const { return bits_.size() * 64; }

 private:
  struct Run {
    Cycle at;
    Cycle end;
  };

  void advance(Cycle word) {
    const Cycle passed = std::min<Cycle>(word - base_, bits_.size());
    for (Cycle i = 0; i < passed; ++i) bits_[(base_ + i) & mask_] = 0;
    base_ = word;
    if (far_.empty()) return;
    std::vector<Run> runs;
    runs.swap(far_);
    for (const Run& run : runs) take(run.at, run.end);
  }
  void take_far(Cycle at, Cycle end) {
    far_.push_back({at, end});
    far_end_ = std::max(far_end_, end);
  }

  std::vector<std::uint64_t> bits_;
  std::uint64_t mask_;
  Cycle base_ = 0;     // first word of the window
  Cycle far_end_ = 0;  // end of the last run that lay beyond the window
  std::vector<Run> far_;
};

}  // namespace strata
