#pragma once

#include <algorithm>
#include <array>

#include "models/sm_cluster/unit_timing.h"

namespace strata {

/// From when on the execution units of one scheduler take instructions.
class UnitTimes {
 public:
  /// The first cycle in which one of the class does.
  Cycle free(Unit unit) const { return times_[static_cast<std::size_t>(unit)].front(); }
  void set_free(Unit unit, Cycle at) { times_[static_cast<std::size_t>(unit)].front() = at; }

  /// `count` instructions, one a cycle from `now` on, when a unit is free, begin as soon as one is: the cycle
  /// in which the last one does.
  Cycle begin(Unit unit, const UnitTiming& timing, unsigned count, Cycle now) {
    auto& times = times_[static_cast<std::size_t>(unit)];
    if (timing.units == 1) {
      times[0] = now + count * timing.interval;
      return times[0] - timing.interval;
    }
    Cycle start = now;
    for (unsigned i = 0; i < count; ++i) {
      start = std::max(times[0], now + i);
      times[0] = start + timing.interval;
      for (unsigned u = 1; u < timing.units && times[u] < times[u - 1]; ++u)
        std::swap(times[u], times[u - 1]);
    }
    return start;
  }

 private:
  // By class, the one that is free first in front.
  std::array<std::array<Cycle, most_units>, static_cast<std::size_t>(Unit::none)> times_{};
};

}  // namespace strata
