#pragma once

#include "models/cache/prefetch_stats.h"
#include "models/common/stats.h"

namespace strata {

/// What every L1 reports. A design with counters of its own derives from it and shows them behind
/// these.
struct L1Stats : StatSet {
  std::uint64_t requests = 0;  // the first cache line counts loads that hit or miss, the next one fills
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  std::uint64_t replies = 0;
  std::uint64_t misses = 0;
  std::uint64_t requests_to_llc = 0;
  std::uint64_t bypasses = 0;
  std::uint64_t replies_from_llc = 0;
  std::uint64_t fills = 0;
  std::uint64_t evictions = 0;
  std::uint64_t merges = 0;
  std::uint64_t ordering_bypasses = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t write_evictions = 0;
  std::uint64_t write_hits = 0;
  std::uint64_t dropped_fills = 0;
  std::uint64_t mshr_full_stalls = 0;
  std::uint64_t merge_limit_stalls = 0;
  std::uint64_t miss_queue_stalls = 0;
  std::uint64_t set_full_stalls = 0;  ///< reported by designs that reserve space for what they fetch
  std::uint64_t stall_cycles = 0;
  std::uint64_t flushes = 0;
  std::uint64_t flushed_lines = 0;
  bool splits = true;  ///< more_requests is reported
  std::uint64_t more_requests = 0;
  bool replies_later =
      true;  ///< the following are reported: of a DC-L1 node whose replies leave Q4 when installed
  std::uint64_t reply_holds = 0;
  std::uint64_t reply_hold_cycles = 0;
  bool textures = true;  ///< the following are reported
  std::uint64_t texture_loads = 0;
  std::uint64_t texture_hits = 0;
  std::uint64_t texture_merges = 0;
  std::uint64_t texture_misses = 0;
  bool writes_back = true;  ///< the following are reported: of an L1 with `local: write_back`
  std::uint64_t local_stores = 0;
  std::uint64_t local_store_hits = 0;
  std::uint64_t local_allocations = 0;
  std::uint64_t local_write_backs = 0;
  std::uint64_t local_dirtied_sectors = 0;
  std::uint64_t local_written_sectors = 0;
  std::uint64_t local_dropped_sectors = 0;
  PrefetchStats prefetch;
  /// Ends laws that bound `evictions` by the fills that can evict.
  const char* allocations_too() const { return writes_back ? " + local_allocations" : ""; }
  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
