#pragma once

#include <array>
#include <cstdint>

#include "models/common/instruction_source.h"
#include "models/common/stats.h"

namespace strata {

/// Why a scheduler issued nothing: judged when it ran out of ready warps, kept until it issues again.
enum class Idle : std::uint8_t { no_warp, latency, memory, lsu_full, barrier, stalled, count_ };
using IdleCycles = std::array<std::uint64_t, static_cast<std::size_t>(Idle::count_)>;

/// Statistics of one `sm_cluster`: sums over its SMs.
struct SmClusterStats final : StatSet {
  using PerClass = std::array<std::uint64_t, static_cast<std::size_t>(OpClass::count_)>;

  std::uint64_t warp_instructions = 0;
  PerClass instructions{};
  std::uint64_t thread_instructions = 0;
  std::uint64_t records_launched = 0;
  std::uint64_t records_issued = 0;

  std::uint64_t ctas_launched = 0;
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_resident = 0;
  std::uint64_t warps_launched = 0;
  std::uint64_t warps_done = 0;
  std::uint64_t warps_resident = 0;

  std::uint64_t scheduler_cycles = 0;
  std::uint64_t issue_cycles = 0;
  IdleCycles idle{};
  std::uint64_t active_cycles = 0;
  std::uint64_t shared_conflict_cycles = 0;
  /// For which units of a class took no other instruction, of those that a scheduler can find busy; special
  /// functions follow from their instructions.
  std::array<std::uint64_t, static_cast<std::size_t>(Unit::sfu)> unit_cycles{};
  std::uint8_t busy_units = 0;  ///< classes that can be found busy: these are reported

  std::uint64_t line_accesses = 0;
  std::uint64_t load_lines = 0;
  std::uint64_t store_lines = 0;
  std::uint64_t atomic_lines = 0;
  std::uint64_t sectors = 0;
  std::uint64_t copy_lines = 0;                     ///< of the copy engine
  std::uint64_t multicast_lines = 0;                ///< of these, delivered to other CTAs: once for each
  std::uint64_t async_lines = 0;                    ///< of asynchronous copies by the load/store unit
  std::uint64_t local_loads = 0, local_stores = 0;  ///< instructions of local memory whose lines have left
  std::uint64_t local_load_lines = 0;               ///< of local memory
  std::uint64_t local_store_lines = 0;
  std::uint64_t local_hits = 0;  ///< answered at once
  std::uint64_t unknown_copies = 0, unknown_waits = 0;
  // Shared memory of other CTAs of a cluster: instructions that left for other SMs, and their bytes,
  std::uint64_t dsmem_loads = 0, dsmem_stores = 0, dsmem_atomics = 0, dsmem_reports = 0, dsmem_bytes = 0;
  std::uint64_t dsmem_requests = 0, dsmem_replies = 0, dsmem_in_flight = 0, dsmem_latency = 0;  // packets,
  std::uint64_t dsmem_taken = 0, dsmem_served = 0, dsmem_waiting = 0,
                dsmem_shared_cycles = 0;  // those of others,
  std::uint64_t dsmem_own_port = 0;       // and what took the own port, where there is no network
  std::uint64_t answered_at_once = 0;
  std::uint64_t round_trips = 0;
  std::uint64_t lines_in_flight = 0;
  std::uint64_t held_requests = 0;
  std::uint64_t link_wait_cycles = 0;
  std::uint64_t memory_latency = 0;

  std::uint64_t flushes = 0;
  std::uint64_t flush_replies = 0;
  std::uint64_t ledger_errors = 0;

  void for_each_stat(StatVisitor& visitor) const override;
  /// Zero everything but what is resident or in flight, which counts as launched and accessed again.
  void restart();
  SmClusterStats& operator+=(const SmClusterStats& other) {
    add_stats(*this, other);
    for (std::size_t unit = 0; unit < unit_cycles.size(); ++unit)
      unit_cycles[unit] += other.unit_cycles[unit];
    busy_units |= other.busy_units;
    return *this;
  }
};

}  // namespace strata
