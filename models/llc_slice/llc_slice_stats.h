#pragma once

#include <array>

#include "models/cache/prefetch_stats.h"
#include "models/common/access.h"
#include "models/common/stats.h"

namespace strata {

/// What an LLC slice keeps of each application.
struct LlcApplicationCounts final : StatSet {
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  bool by_decision = true;  // hits and misses are known
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Those of some applications together.
LlcApplicationCounts sum_of(const std::array<LlcApplicationCounts, max_applications>& counts,
                            ApplicationSet whose);

/// What an LLC slice reports.
struct LlcSliceStats final : StatSet {
  std::uint64_t accesses = 0;  // the first cache line counts loads that hit
  std::uint64_t reads = 0;
  std::uint64_t hits = 0;
  std::uint64_t read_hits = 0;
  std::uint64_t replies = 0;
  std::uint64_t stall_cycles = 0;
  std::uint64_t reply_queue_stalls = 0;
  std::uint64_t writes = 0;
  std::uint64_t atomics = 0;
  std::uint64_t write_hits = 0;
  std::uint64_t atomic_hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t read_misses = 0;
  std::uint64_t merges = 0;
  std::uint64_t write_allocations = 0;
  std::uint64_t write_arounds = 0;
  std::uint64_t fetches = 0;
  std::uint64_t fills = 0;
  std::uint64_t evictions = 0;
  std::uint64_t dirty_evictions = 0;
  std::uint64_t write_throughs = 0;
  std::uint64_t flush_writes = 0;
  std::uint64_t memory_writes = 0;
  std::uint64_t memory_write_acks = 0;
  std::uint64_t mshr_full_stalls = 0;
  std::uint64_t merge_limit_stalls = 0;
  std::uint64_t write_queue_stalls = 0;
  std::uint64_t prefetch_reads = 0;
  std::uint64_t held_requests = 0;
  std::uint64_t held_fills = 0;
  std::uint64_t flushes = 0;
  std::uint64_t flushed_lines = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t read_only_stores = 0;
  PrefetchStats prefetch;
  bool by_decision = true;  // what the tags decide is known; RTL need not tell
  bool by_sector = true;    // lines have sectors, or are reserved on misses: these are reported too
  std::uint64_t asked_sectors = 0;
  std::uint64_t missed_sectors = 0;
  std::uint64_t sector_misses = 0;
  std::uint64_t fetched_sectors = 0;
  std::uint64_t written_sectors = 0;
  std::uint64_t set_full_stalls = 0;
  bool by_lanes = true;  // atomics cost by their lanes: these are reported too
  std::uint64_t atomic_lanes = 0;
  std::uint64_t atomic_transactions = 0;
  std::uint64_t atomic_conflict_cycles = 0;
  std::uint64_t reductions = 0;
  std::uint64_t store_sectors = 0;      // 32 B sectors that stores wrote
  std::uint64_t store_hit_sectors = 0;  // of these: nothing was fetched for them, nor written past the LLC
  void for_each_stat(StatVisitor& visitor) const override;

  // What the tags have decided: counted here for the model and for RTL alike.
  void count_request(AccessClass kind) {
    ++accesses;
    ++(kind == AccessClass::store ? writes : kind == AccessClass::atomic ? atomics : reads);
  }
  void count_hit(AccessClass kind) {
    ++hits;
    ++(kind == AccessClass::store ? write_hits : kind == AccessClass::atomic ? atomic_hits : read_hits);
  }
  void count_merge(AccessClass) { ++merges; }
  /// A miss that fetches; one without a fetch is counted as what it does instead.
  void count_fetch(AccessClass kind) {
    ++fetches;
    if (!carries_request_data(kind)) ++read_misses;
  }
};

}  // namespace strata
