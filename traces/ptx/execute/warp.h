#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"
#include "traces/ptx/decode/op.h"
#include "traces/warp_path.h"

/// The state of a running warp. Files that are compiled once per instruction set include only this and
/// nothing with inline functions of the standard library, of which the linker keeps one copy.
namespace strata::traces::ptx {

struct CtaState;
struct LaneStack;

/// Memory range that a load or store accessed last. Inside it only alignment and the range's ends need to be
/// checked.
struct CheckedRange {
  std::uint64_t start = 0;
  std::uint64_t last = 0;        ///< last byte that may be accessed, relative to `start`
  std::uint8_t* data = nullptr;  ///< byte `start + i` is data[i]; null: no range
  std::uint64_t before = 0;      ///< where lane 0 was, relative to `start`
  Space space = Space::generic;  ///< of the range
  bool counted = false;          ///< accesses are recorded,
  std::uint32_t tag = 0;         ///< with this tag,
  std::uint64_t window = 0;      ///< if they are at or above this offset
};

struct alignas(64) Warp {
  std::int32_t lane_mask[32];  ///< -1 where the lane is active
  std::uint8_t* base[2];       ///< registers, constants
  std::uint32_t mask = 0, alive = 0;
  std::uint32_t lanes = 0;     ///< number of active lanes
  std::uint32_t join = no_op;  ///< where the top of the stack reconverges
  const Op* code = nullptr;
  const Op* next = nullptr;  ///< next operation
  CtaState* cta = nullptr;
  LaneStack* stack = nullptr;              ///< lanes that wait until the running ones reach `join`
  CheckedRange* checked_ranges = nullptr;  ///< by operation
  std::uint32_t index = 0;
  // Recording.
  PathCell* out = nullptr;  ///< next cell
  PathCell* out_begin = nullptr;
  PathCell* out_end = nullptr;
  PathCell* block = nullptr;                    ///< first cell of this block
  std::uint32_t block_mask = 0;                 ///< its lanes, ignoring guards
  std::uint32_t run = 0;                        ///< instructions of earlier blocks without a cell
  std::uint32_t run_units[counted_units] = {};  ///< by unit
  bool record = false;
  bool record_rows = false;  ///< whole rows are recorded as they are
  std::uint64_t executed = 0, executed_threads = 0, recorded = 0, recorded_threads = 0;
  std::uint64_t budget = 0;       ///< PTX instructions left in this turn
  std::uint32_t short_turns = 0;  ///< remaining short turns after a barrier
  std::uint64_t since_barrier = 0;
  enum class State : std::uint8_t { ready, barrier, cluster, done } state = State::ready;
  const Op* waiting = nullptr;
  std::uint32_t barrier = 0, barrier_threads = 0;
  // Barrier of the cluster.
  std::uint32_t cluster_arrived = 0;  ///< lanes that have arrived and wait for others
  std::uint32_t cluster_passed = 0;   ///< lanes released by the barrier
  // Loops that poll.
  bool stopped = false;          ///< stopped at a backward branch, at the end of its turn
  bool split = false;            ///< some lanes have diverged and are not at a barrier, or were
  bool spins = false;            ///< the current lanes are in a polling loop
  bool pass = false;             ///< the current lanes leave a reconvergence point without the others
  bool waits = false;            ///< at the end of the turn: all lanes poll or wait
  std::uint32_t polls = 0;       ///< reads of memory that others write, while watched
  std::uint32_t new_values = 0;  ///< of these: found a new value, or changed it
  std::uint32_t clocks = 0;      ///< reads of the time, while watched
  std::uint64_t quiet_since =
      0;  ///< instruction count when a counting loop first found nothing new; 0: it found something
  std::uint32_t idle_turns = 0;      ///< consecutive turns without success
  std::uint64_t turn = 0;            ///< number of its turn
  std::uint64_t tried = 0;           ///< turn in which the current lanes last polled without success
  std::uint64_t passed = 0;          ///< instructions of iterations that are not counted
  std::uint64_t next_watch = 0;      ///< instruction count at which it is watched again
  std::uint64_t watch_interval = 0;  ///< instructions from one watch to the next
};

inline std::uint8_t* row(const Warp& w, Row r) {
  return w.base[r & 1] + (r & ~Row{1});
}
template <class T>
inline T* row_of(const Warp& w, Row r) {
  return reinterpret_cast<T*>(row(w, r));
}

}  // namespace strata::traces::ptx
