#pragma once

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

/// Operands of matrix instructions, between the registers of lanes and matrices.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

constexpr u32 most_outer = 32, most_inner = 256;

inline void check_lanes(const Warp& w, const Op* op) {
  if (w.mask != all_lanes) fault(w, op, -1, "all 32 lanes of a warp must execute it together");
}

inline u32 registers_of(const TensorCode& code, bool of_b) {
  const u32 bits = element_bits(of_b ? code.b() : code.a());
  return (of_b ? code.n : code.m) * code.k * bits / (bits == 64 ? 64 : 32) / 32;
}
inline u32 sums_of(const TensorCode& code) {
  return static_cast<u32>(code.m) * code.n / 32;
}

/// Operand a (rows) or b (columns), part by part of each register: put(outer, inner, distance, from) for the
/// elements of eight lanes, from[0] to from[7]; those of lane i lie at outer + i / 4 and inner + i % 4 *
/// distance.
template <class Put>
void for_elements(const Warp& w, const TensorCode& code, bool of_b, const Row* rows, Put put) {
  const u32 bits = element_bits(of_b ? code.b() : code.a()), each = bits >= 32 ? 1 : 32 / bits;
  const u32 mask = bits >= 32 ? ~0U : (1U << bits) - 1, count = registers_of(code, of_b);
  for (u32 r = 0; r < count; ++r) {
    const u32* words = row_of<u32>(w, rows[r]);
    const Position first = operand_position(code, of_b, 0, r, 0);
    for (u32 part = 0; part < each; ++part)
      for (u32 lane = 0; lane < 32; lane += 8) {
        u32 from[8];
        for (u32 i = 0; i < 8; ++i) from[i] = words[lane + i] >> part * bits & mask;
        put(first.outer + lane / 4, first.inner + part, each, from);
      }
  }
}

/// Sums of a warp as a matrix.
struct SumMatrix {
  u32 at[most_outer][most_outer];
};

/// The places of element i of all lanes of c or d: use(lane, row, column).
template <class Use>
void for_sums(const TensorCode& code, u32 i, Use use) {
  const Position first = sum_position(code, 0, i);
  for (u32 lane = 0; lane < 32; ++lane) {
    if (code.turned())
      use(lane, first.outer + lane % 4 * 2, first.inner + lane / 4);
    else
      use(lane, first.outer + lane / 4, first.inner + lane % 4 * 2);
  }
}

/// The rows of an operation in order: d, a, b, c.
struct Operands {
  const Row *d, *a, *b, *c;
  Operands(const Op* op)  // NOLINT: counts stand in the operation
      : d(op->rows), a(d + (op->code)), b(a + (op->count & 15)), c(b + (op->count >> 4)) {}
};

inline u32 sum_bits(const Warp& w, Element type, const Row* rows, u32 lane, u32 i) {
  if (type == Element::f16) return row_of<u16>(w, rows[i / 2])[2 * lane + i % 2];
  return row_of<u32>(w, rows[i])[lane];
}
inline void put_sum(const Warp& w, Element type, const Row* rows, u32 lane, u32 i, u32 bits) {
  if (type == Element::f16)
    row_of<u16>(w, rows[i / 2])[2 * lane + i % 2] = static_cast<u16>(bits);
  else
    row_of<u32>(w, rows[i])[lane] = bits;
}

inline s32 whole(Element type, u32 bits) {
  switch (type) {
    case Element::int8:
      return static_cast<s8>(bits);
    case Element::int4:
      return static_cast<s32>(bits << 28) >> 28;
    default:
      return static_cast<s32>(bits);
  }
}

}  // namespace
}  // namespace strata::traces::ptx
