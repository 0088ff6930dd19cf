#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/cycle_window.h"

namespace strata {

/// Which cycles of a resource are taken, as a bitmap over a sliding window: what lt blocks book links, ports
/// and buses with. Bookings may come in any order of time; each gets the first free run.
///
/// Cycles before the window count as free and cannot be booked; runs beyond it are kept in order, one after
/// the other, and enter the bitmap when the window reaches them.
class SlotCalendar {
 public:
  /// `words`: 64 cycles each; a power of two.
  explicit SlotCalendar(std::size_t words = 64) : window_(words) {}

  /// Nothing will be asked about cycles before `now` any more.
  void slide(Cycle now) {
    if (now / 64 > window_.begin() / 64) advance(now);
  }
  /// The first free cycle that is not before `at`.
  Cycle find(Cycle at) const {
    const Cycle found = window_.first_free(0, std::max(at, window_.begin()));
    return found < window_.end() ? found : std::max(found, far_end_);
  }
  /// Take the first `count` free cycles that are not before `at`; the last of them.
  Cycle book(Cycle at, unsigned count) {
    for (at = std::max(at, window_.begin()); at < window_.end(); at = (at / 64 + 1) * 64) {
      std::uint64_t& bits = *window_.at(at);
      const Cycle first_of_word = at / 64 * 64;
      const unsigned shift = at % 64;
      std::uint64_t free = ~bits >> shift << shift;
      const std::uint64_t run = ((std::uint64_t{1} << count) - 1) << shift;
      if (shift + count <= 64 && (free & run) == run) {  // nearly always
        bits |= run;
        return at + count - 1;
      }
      while (free != 0) {
        const std::uint64_t first = free & (~free + 1);
        free ^= first;
        bits |= first;
        if (--count == 0) return first_of_word + static_cast<Cycle>(__builtin_ctzll(first));
      }
    }
    const Cycle start = std::max(at, far_end_);
    take_far(start, start + count);
    return start + count - 1;
  }
  /// Take the cycles from `at` to `end` - 1, whether they are free or not.
  void take(Cycle at, Cycle end) {
    at = std::max(at, window_.begin());
    if (at >= end) return;
    if (end > window_.end()) return take_far(at, end);
    window_.set(0, at, end - 1);
  }

 private:
  struct Run {
    Cycle at;
    Cycle end;
  };

  void advance(Cycle now) {
    window_.slide(now);
    if (far_.empty()) return;
    std::vector<Run> runs;
    runs.swap(far_);
    for (const Run& run : runs) take(run.at, run.end);
  }
  void take_far(Cycle at, Cycle end) {
    far_.push_back({at, end});
    far_end_ = std::max(far_end_, end);
  }

  CycleWindow window_;
  Cycle far_end_ = 0;  // end of the last run that lay beyond the window
  std::vector<Run> far_;
};

}  // namespace strata
