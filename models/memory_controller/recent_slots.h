#pragma once

#include <cstdint>

#include "models/common/units.h"

namespace strata {

/// One thing a cycle: gives each that asks the first free cycle that is not before its own. Remembers the 64
/// cycles that end with the newest one given; earlier ones count as free and are not remembered.
class RecentSlots {
 public:
  Cycle take(Cycle at) {
    const Cycle slot = find(at);
    if (slot > newest_) {
      const Cycle by = slot - newest_;
      taken_ = (by < 64 ? taken_ >> by : 0) | std::uint64_t{1} << 63;
      newest_ = slot;
    } else if (newest_ - slot < 64) {
      taken_ |= std::uint64_t{1} << (63 - (newest_ - slot));
    }
    return slot;
  }
  /// What take() would give.
  Cycle find(Cycle at) const {
    if (at > newest_ || newest_ - at >= 64) return at;
    const Cycle back = newest_ - at;
    const std::uint64_t free = ~taken_ >> (63 - back);
    return free == 0 ? newest_ + 1 : at + static_cast<Cycle>(__builtin_ctzll(free));
  }

 private:
  Cycle newest_ = 0;
  std::uint64_t taken_ = 0;  // bit 63: newest_
};

}  // namespace strata
