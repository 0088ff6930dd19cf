#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "traces/ptx/execute/warp.h"

/// The path of a recorded warp: a cell per access and a cell per block that holds something to record. Blocks
/// of arithmetic only are added up and counted in the next cell.
namespace strata::traces::ptx {

// Tags: the number of the operation, and flags.
constexpr std::uint32_t number_bits = 22, number_mask = (1u << number_bits) - 1;
constexpr std::uint32_t width_shift = number_bits;  ///< of an access: log2 of the bytes a lane
constexpr std::uint32_t other_shared = 1u
                                       << 26;  ///< in shared memory, although the operation does not say so
constexpr std::uint32_t read_only_cell = 1u << 27;
constexpr std::uint32_t own_mask = 1u << 28;    ///< the next cell holds the mask of the lanes
constexpr std::uint32_t local_cell = 1u << 29;  ///< of an access to local memory
constexpr std::uint32_t block_end = 1u << 31;
constexpr std::uint32_t run_ends = 1u
                                   << 30;  ///< of block_end: the next instruction does not belong to this run
constexpr std::uint32_t long_carry = 1u << 29;  ///< of block_end: the cell before holds more of its counts
constexpr std::uint32_t block_cut = 1u << 28;   ///< of block_end: the block continues in another cell
// Cells without an operation.
constexpr std::uint32_t mask_cell = number_mask, counts_cell = number_mask - 1, begin_cell = number_mask - 2;
/// From this number on: the operand of the next record's Sync. Each operand makes a pattern of its own.
constexpr std::uint32_t operand_cell = 1u << (number_bits - 1), most_operand = 0xffff;
constexpr std::uint32_t no_block = number_mask;  ///< of block_end: arithmetic only

inline std::uint32_t number_of(const PathCell& cell) {
  return cell.tag & number_mask;
}

/// Counts set bits. The builtin is a library call on plain x86-64. Adds pairs, nibbles and bytes in parallel,
/// then all bytes.
inline unsigned lanes_in(std::uint32_t mask) {
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/// Makes space for more cells.
void grow(Warp& w);
inline PathCell& add_cell(Warp& w) {
  if (w.out == w.out_end) grow(w);
  return *w.out++;
}

/// Whether accesses of `op` to that space count.
inline bool is_counted(const Op* op, Space space) {
  return (op->flags & no_record) == 0 && space != Space::constant && space != Space::param;
}
inline std::uint32_t access_tag(const Op* op, Space space, std::uint32_t bytes) {
  return op->number | static_cast<std::uint32_t>(__builtin_ctz(bytes)) << width_shift |
         (op->op_class == OpClass::read_only_load ? read_only_cell : 0) |
         (space == Space::shared && op->space != Space::shared ? other_shared : 0) |
         (space == Space::local ? local_cell : 0);
}

/// Counts the block that ends with this operation.
void note_block(Warp& w, const Op* op);
/// Ends the current run of instructions.
void end_run(Warp& w);
/// The lanes stop in the middle of a block, at `op`; other lanes resume behind their `op`.
void note_cut(Warp& w, const Op* op);
void note_begin(Warp& w, const Op* op);
/// The block has been executed up to `op`; other lanes execute the rest.
void note_part(Warp& w, const Op* op);
/// `lanes` exit.
void note_exit(Warp& w, const Op* op, std::uint32_t lanes);
/// A barrier whose number is in a register. `operand` is made by barrier_operand(); 0 means barrier 0 for all
/// warps.
void note_barrier(Warp& w, const Op* op, std::uint32_t operand);

// Recorded steps of a kernel's warps from block to block, kept for reuse.

/// State between two blocks on which the next records depend, except for the lanes.
struct RunState {
  std::uint32_t run = 0;                    ///< instructions since the last record
  std::uint32_t units[counted_units] = {};  ///< by unit
  std::uint32_t pc = 0;                     ///< where they begin
  std::vector<std::uint32_t> pending;       ///< slots of loads whose results have not been read, ascending

  friend bool operator<(const RunState& a, const RunState& b);
};

/// A pattern whose loads may turn out to be used first by another record.
struct UsablePattern : Pattern {
  struct With {
    std::uint32_t record;
    std::uint8_t first_use;
    const UsablePattern* pattern;
  };
  mutable std::vector<With> with;
};

struct KnownState;

/// What is recorded from one state to the next.
struct Step : UsablePattern {
  std::vector<std::uint32_t> tags;  ///< of its cells
  std::uint64_t carry = 0;          ///< counts of earlier blocks without cells
  struct Place {
    std::uint32_t number, record;  ///< slot, and the record that reads or loads it
  };
  std::vector<Place> uses;   ///< uses of loads of earlier steps
  std::vector<Place> loads;  ///< loads whose results are unread at its end
  KnownState* next = nullptr;
  bool plain = false;   ///< has none of these
  bool steady = false;  ///< plain, can follow itself, and has no address lists or lane masks

  /// Whether the cells from `cell` on match this step. `listed`: it has address lists where it had them the
  /// first time.
  bool fits(const PathCell* cell, const PathCell* end, bool& listed) const {
    const std::size_t count = tags.size();
    if (static_cast<std::size_t>(end - cell) < count || cell[count - 1].value != carry) return false;
    const std::uint32_t* const expected = tags.data();
    std::uint32_t other = 0;
    for (std::size_t n = 0; n < count; ++n) other |= expected[n] ^ cell[n].tag;
    listed = other == 0;
    return (other & ~listed_cell) == 0;
  }
};

struct KnownState {
  const RunState* content = nullptr;
  std::vector<Step*> steps;
  Step* last = nullptr;  ///< the step that was found last
};

class PathLibrary {
 public:
  /// `local_row`: LocalRows::warps() of the launch, for accesses to local memory.
  explicit PathLibrary(std::uint16_t local_row) : local_row_(local_row), first_(state(RunState())) {}
  std::uint16_t local_row() const { return local_row_; }
  KnownState* first() const { return first_; }
  /// Null if there are too many states or this one is not worth keeping.
  KnownState* state(const RunState& content);
  /// Null if none matches.
  static Step* find(KnownState& from, const PathCell* cell, const PathCell* end, bool& listed);
  /// Adds a new step; null if there are too many.
  Step* add(KnownState& from, const Step& step);
  const UsablePattern* with_use(const UsablePattern& pattern, std::uint32_t record, std::uint8_t first_use);

 private:
  std::map<RunState, KnownState> states_;
  std::deque<Step> steps_;
  std::deque<UsablePattern> used_;
  const std::uint16_t local_row_;
  KnownState* first_;
};

/// Libraries of a kernel. Each recording machine uses one of its own and returns it for the next machine.
class PathLibraries {
 public:
  std::unique_ptr<PathLibrary> take(std::uint16_t local_row);
  void give_back(std::unique_ptr<PathLibrary> library);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PathLibrary>> free_;
};

}  // namespace strata::traces::ptx
