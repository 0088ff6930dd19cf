#pragma once

#include <vector>

#include "traces/ptx/execute/calls.h"
#include "traces/ptx/execute/warp.h"

namespace strata::traces::ptx {

/// Sets of lanes of a warp that wait, the next one last.
struct WaitingLanes {
  std::uint32_t mask, pc, join;  ///< they go on at `pc`, up to `join`
};

/// Lanes of a warp that have come to a barrier without the others, and all that goes on with them.
struct LanesApart {
  std::uint32_t lanes = 0, join = no_op;
  const Op* waiting = nullptr;  ///< the barrier
  std::uint32_t barrier = 0, barrier_threads = 0;
  bool released = false;
  std::vector<WaitingLanes> entries;
  std::vector<CallFrame> calls;
};

/// The current lanes wait at a barrier, and others of the warp go on.
const Op* set_apart(Warp& w);
/// The current lanes have ended or wait at a barrier: those that were set apart go on; nullptr: none can.
const Op* go_on_apart(Warp& w);

}  // namespace strata::traces::ptx
