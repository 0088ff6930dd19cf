#pragma once

#include "models/common/stats.h"

namespace strata {

/// Counters of `traffic_generator`.
struct TrafficStats final : StatSet {
  std::uint64_t offered = 0;
  std::uint64_t backlog = 0;
  std::uint64_t backlog_cycles = 0;
  std::uint64_t sent = 0;
  std::uint64_t loads = 0;
  std::uint64_t read_only_loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t answered_at_once = 0;
  std::uint64_t round_trips = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t held_requests = 0;
  std::uint64_t ledger_errors = 0;
  std::uint64_t port_cycles = 0;
  std::uint64_t atomics = 0;
  std::uint64_t checked_bytes = 0;
  std::uint64_t wrong_bytes = 0;
  bool checks = true;  ///< these three are reported
  Histogram latency;

  std::uint64_t answered() const { return answered_at_once + round_trips; }
  void for_each_stat(StatVisitor& visitor) const override;
  /// Resets to zero; accesses in flight count as sent again.
  void restart();
};

}  // namespace strata
