#pragma once

#include <algorithm>
#include <cstdint>

#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// Core cycles per cycle of the slowest clock, at least 1.
inline std::uint64_t cycles_of_slowest(const Platform& platform) {
  std::uint64_t slowest = platform.core_clock().frequency().count;
  for (const ClockDomain* clock : platform.clocks()) slowest = std::min(slowest, clock->frequency().count);
  return platform.core_clock().frequency().count / slowest;
}

/// Cycles of a block per core cycle, rounded up: its clock may be faster.
inline std::uint64_t cycles_in_core_cycle(const Block& block, const Platform& platform) {
  return (block.clock().frequency().count - 1) / platform.core_clock().frequency().count + 1;
}

/// Core cycles from `now` on without any event: the session need not check in between.
inline Cycle quiet_cycles(const Platform& platform, Cycle now) {
  if (!sc_core::sc_pending_activity()) return 0;
  const std::uint64_t next =
      sc_core::sc_time_stamp().value() + sc_core::sc_time_to_pending_activity().value();
  return std::max(now, platform.core_clock().cycle_before(next)) - now;
}

}  // namespace strata::platforms
