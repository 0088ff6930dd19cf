#pragma once

#include "models/sm_cluster/warp_scheduler.h"

namespace strata {

/// Warps of an SM by what they wait for.
struct WaitingWarps {
  int memory, lsu, barrier;
};

/// The warps of an SM that cannot issue, as bitmaps of warp slots. Those that wait for room in the load/store
/// queue, or for an execution unit, are the schedulers' business.
struct WarpSets {
  std::uint64_t asleep = 0;  ///< until a known cycle
  std::uint64_t memory = 0;  ///< for a load
  std::uint64_t barrier = 0;
  std::uint64_t engine = 0;    ///< for the copy engine
  std::uint64_t draining = 0;  ///< at the end of their instructions, loads or queued stores left
  std::uint64_t network = 0;   ///< for room in the queue of the network between SMs

  /// Why a scheduler has nothing to issue.
  Idle idle_reason(const WarpScheduler& scheduler) const {
    if (scheduler.empty()) return Idle::no_warp;
    if ((asleep & scheduler.slots) != 0 || scheduler.any_unit_waiting()) return Idle::latency;
    if (scheduler.any_waiting()) return Idle::lsu_full;
    if (((memory | engine | draining | network) & scheduler.slots) != 0) return Idle::memory;
    return Idle::barrier;
  }
};

}  // namespace strata
