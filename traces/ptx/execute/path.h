#pragma once

#include "traces/ptx/execute/warp.h"

/// What a warp notes of its way while it is recorded: a cell for each access, one for each block that holds
/// something to record. Blocks of arithmetic alone are added up, and go with the next cell.
namespace strata::traces::ptx {

// Tags: the number of the operation, and ...
constexpr std::uint32_t number_bits = 22, number_mask = (1u << number_bits) - 1;
constexpr std::uint32_t width_shift = number_bits;  ///< ... of an access, the logarithm of its bytes a lane
constexpr std::uint32_t other_shared = 1u << 26;    ///< in shared memory, which the operation does not say
constexpr std::uint32_t read_only_cell = 1u << 27;
constexpr std::uint32_t own_mask = 1u << 28;    ///< the next cell has the mask of its lanes
constexpr std::uint32_t local_cell = 1u << 29;  ///< of an access: in local memory
constexpr std::uint32_t block_end = 1u << 31;
constexpr std::uint32_t run_ends = 1u << 30;    ///< of block_end: what comes next is no part of the run
constexpr std::uint32_t long_carry = 1u << 29;  ///< of block_end: the cell before holds more of its counts
constexpr std::uint32_t block_cut = 1u << 28;   ///< of block_end: it goes on elsewhere
// Cells of no operation.
constexpr std::uint32_t mask_cell = number_mask, counts_cell = number_mask - 1, begin_cell = number_mask - 2;
/// From here on: the operand of the next record's Sync, of which each makes a pattern of its own.
constexpr std::uint32_t operand_cell = 1u << (number_bits - 1), most_operand = 0xffff;
constexpr std::uint32_t no_block = number_mask;  ///< of block_end: arithmetic alone

inline std::uint32_t number_of(const PathCell& cell) {
  return cell.tag & number_mask;
}

/// Bits set: the builtin is a library call on plain x86-64. Sums of 2, 4 and 8 bits side by side, then of
/// all.
inline unsigned lanes_in(std::uint32_t mask) {
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/// Room for more cells.
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

/// Count the block whose last operation this is.
void note_block(Warp& w, const Op* op);
/// What was executed so far is one run, what follows another.
void end_run(Warp& w);
/// The lanes stop in the middle of a block, at `op`; other lanes go on behind `op` of theirs.
void note_cut(Warp& w, const Op* op);
void note_begin(Warp& w, const Op* op);
/// The block up to `op` has been executed: other lanes come to the rest of it.
void note_part(Warp& w, const Op* op);
/// Lanes that leave.
void note_exit(Warp& w, const Op* op, std::uint32_t lanes);
/// A barrier whose number is not in the text. `operand` as barrier_operand() makes it; 0: that of all warps.
void note_barrier(Warp& w, const Op* op, std::uint32_t operand);

}  // namespace strata::traces::ptx
