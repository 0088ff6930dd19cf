#pragma once

#include <vector>

#include "traces/ptx/execute/calls.h"
#include "traces/ptx/execute/warp.h"

namespace strata::traces::ptx {

/// Sets of lanes of a warp that wait, the next one last.
struct WaitingLanes {
  std::uint32_t mask, pc, join;  ///< they go on at `pc`, up to `join`
};

/// Lanes of a warp that go on without the others, and all that goes on with them.
struct LanesApart {
  enum class Why : std::uint8_t {
    barrier,  ///< wait at a barrier of the thread block
    spins,    ///< go round in a loop that waits for something
    meets,    ///< have come to an instruction that other lanes take part in
    joins,    ///< have come to where branches of theirs and of other lanes meet
  } why = Why::barrier;
  std::uint32_t lanes = 0, join = no_op;
  std::uint32_t alive = 0;      ///< with those that wait for them
  const Op* waiting = nullptr;  ///< the barrier
  const Op* next = nullptr;     ///< of the others: where they go on
  std::uint64_t tried = 0;      ///< turn of the warp in which they last went round in vain
  std::uint32_t barrier = 0, barrier_threads = 0;
  bool released = false;
  std::vector<WaitingLanes> entries;
  std::vector<CallFrame> calls;
};

/// The current lanes wait at a barrier, and others of the warp go on.
const Op* set_apart(Warp& w);
/// The current lanes have ended or wait at a barrier: those that were set apart go on; nullptr: none can.
const Op* go_on_apart(Warp& w);

// Lanes apart that do not wait at a barrier (lane_groups.cpp).
/// The current ones with what waits for them.
LanesApart current_lanes(const Warp& w);
void make_current(Warp& w, LanesApart lanes);
/// Lanes of the warp that are apart, but for those at barriers of the thread block.
std::uint32_t lanes_elsewhere(const Warp& w);
/// The current lanes go round in a loop: those that wait for them go on without them.
void split_lanes(Warp& w);
/// The current lanes wait at `op` until those of `others` are there as well.
const Op* park_lanes(Warp& w, const Op* op, LanesApart::Why why, std::uint32_t others);
/// Of the lanes apart the next ones go on: there are some that are at no barrier, and no current ones.
const Op* pick_lanes(Warp& w);
/// The current lanes have gone round in vain: others go on. False: none can.
bool next_lanes(Warp& w);

}  // namespace strata::traces::ptx
