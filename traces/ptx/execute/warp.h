#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"
#include "traces/ptx/decode/op.h"
#include "traces/warp_path.h"

/// The state of a running warp. Files that are compiled once for each set of instructions include
/// this and nothing with inline functions of the standard library: the linker keeps one copy of those.
namespace strata::traces::ptx {

struct CtaState;
struct LaneStack;

/// Memory in which the lanes of a load or store were the last time. Of all that is checked there only
/// alignment and its ends can fail.
struct Ground {
  std::uint64_t start = 0;
  std::uint64_t last = 0;        ///< that the operation may touch, from `start`
  std::uint8_t* data = nullptr;  ///< byte `start + i` is data[i]; nullptr: there is none
  std::uint64_t before = 0;      ///< where lane 0 was, from `start`
  Space space = Space::generic;  ///< what it is
  bool counted = false;          ///< accesses are recorded:
  std::uint32_t tag = 0;         ///< with this tag,
  std::uint64_t window = 0;      ///< and addresses from here on
};

struct alignas(64) Warp {
  std::int32_t lane_mask[32];  ///< -1 where the lane is active
  std::uint8_t* base[2];       ///< registers, constants
  std::uint32_t mask = 0, alive = 0;
  std::uint32_t lanes = 0;     ///< active ones
  std::uint32_t join = no_op;  ///< where the top of the stack ends
  const Op* code = nullptr;
  const Op* next = nullptr;  ///< where to go on
  CtaState* cta = nullptr;
  LaneStack* stack = nullptr;  ///< lanes that wait until those that run reach `join`
  Ground* grounds = nullptr;   ///< by operation
  std::uint32_t index = 0;
  // What is recorded.
  PathCell* out = nullptr;  ///< next cell
  PathCell* out_begin = nullptr;
  PathCell* out_end = nullptr;
  PathCell* block = nullptr;                    ///< the first of this block
  std::uint32_t block_mask = 0;                 ///< its lanes, whatever guards say
  std::uint32_t run = 0;                        ///< instructions of the blocks before that have no cell
  std::uint32_t run_units[counted_units] = {};  ///< of these
  bool record = false;
  bool record_rows = false;  ///< accesses of rows as they are
  std::uint64_t executed = 0, executed_threads = 0, recorded = 0, recorded_threads = 0;
  std::uint64_t budget = 0;       ///< PTX instructions until the warp yields
  std::uint32_t short_turns = 0;  ///< that it still takes after a barrier
  std::uint64_t since_barrier = 0;
  enum class State : std::uint8_t { ready, barrier, cluster, done } state = State::ready;
  const Op* waiting = nullptr;
  std::uint32_t barrier = 0, barrier_threads = 0;
  // Of the barrier of the cluster:
  std::uint32_t cluster_arrived = 0;  ///< lanes that have arrived, and wait for others
  std::uint32_t cluster_passed = 0;   ///< for whom nobody is missing
  // Loops that wait.
  bool stopped = false;      ///< at a branch back, since the budget is used up
  bool split = false;        ///< there are lanes apart that are at no barrier, or were
  bool spins = false;        ///< the current lanes go round in such a loop
  bool pass = false;         ///< ... go on from where they wait for others, without these
  bool waits = false;        ///< at the end of the turn: all lanes go round in such loops, or wait
  std::uint32_t polls = 0;   ///< reads of memory that others write, where they are watched
  std::uint32_t news = 0;    ///< of these: that found something new, or changed it
  std::uint32_t clocks = 0;  ///< reads of the time, where they are watched
  std::uint64_t quiet =
      0;  ///< of a loop that counts: instructions when it first found nothing new; 0: it did
  std::uint32_t still = 0;        ///< turns in which it went round in vain, since the last that was not
  std::uint64_t turn = 0;         ///< number of its turn
  std::uint64_t tried = 0;        ///< turn in which the current lanes last went round in vain
  std::uint64_t passed = 0;       ///< time, in instructions, of rounds that are not counted
  std::uint64_t next_watch = 0;   ///< when it is watched again: instructions that it has executed
  std::uint64_t watch_apart = 0;  ///< from one watch to the next
};

inline std::uint8_t* row(const Warp& w, Row r) {
  return w.base[r & 1] + (r & ~Row{1});
}
template <class T>
inline T* row_of(const Warp& w, Row r) {
  return reinterpret_cast<T*>(row(w, r));
}

}  // namespace strata::traces::ptx
