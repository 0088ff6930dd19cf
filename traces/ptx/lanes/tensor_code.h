#pragma once

#include <cstdint>
#include <cstring>

/// Codes of a warp's matrix instructions, and which lane holds which element (PTX ISA, "Warp Level Matrix
/// Multiply-Accumulate Instructions", figures of the fragments). Fragments of wmma are not documented: these
/// were measured on an H100 (docs/guide/ptx.md, "Matrices").
namespace strata::traces::ptx {

enum class Element : std::uint8_t {
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  e3m2,  ///< these three in the lower 6 bits of 8, e2m1 in the middle 4
  e2m3,
  e2m1,
  f64,
  f32,
  int32,
  int8,
  uint8,
  int4,
  uint4,
  bit
};

constexpr std::uint32_t element_bits(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::int32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::int4:
    case Element::uint4:
      return 4;
    case Element::bit:
      return 1;
    default:
      return 8;
  }
}

/// Code that fits into Op::offset.
struct TensorCode {
  std::uint8_t m = 0, n = 0;
  std::uint16_t k = 0;
  std::uint8_t types = 0;  ///< of a (low half) and b
  std::uint8_t sums = 0;   ///< of c (low half) and d
  std::uint8_t flags = 0;
  std::uint8_t matrix = 0;  ///< loads and stores: 'a', 'b' or 'c'; sparse products: the selector

  static constexpr std::uint8_t columns_a = 1, columns_b = 2;  ///< stored by columns
  static constexpr std::uint8_t saturates = 4, is_and = 8;
  static constexpr std::uint8_t ordered = 16;  ///< metadata of sparse products in ascending order
  static constexpr std::uint8_t negative_a = 32, negative_b = 64;  ///< of wgmma: times -1
  static constexpr std::uint8_t sparse = 128;                      ///< wgmma.mma_async.sp
  Element a() const { return static_cast<Element>(types & 15); }
  Element b() const { return static_cast<Element>(types >> 4); }
  Element c() const { return static_cast<Element>(sums & 15); }
  Element d() const { return static_cast<Element>(sums >> 4); }
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  /// m8n32: the machine computes the transposed product.
  bool turned() const { return m == 8 && n == 32; }
  std::int64_t pack() const {
    std::int64_t bits;
    static_assert(sizeof(bits) == sizeof(*this), "eight bytes");
    std::memcpy(&bits, this, sizeof(bits));
    return bits;
  }
  static TensorCode unpack(std::int64_t bits) {
    TensorCode code;
    std::memcpy(static_cast<void*>(&code), &bits, sizeof(bits));
    return code;
  }
};

/// Position of an element: `outer` is the row of a or the column of b.
struct Position {
  std::uint32_t outer, inner;
};

/// Element `part` of register `r` of operand a (`of_b`: b) in a lane; the elements of a register are adjacent
/// along k.
inline Position operand_position(const TensorCode& code, bool of_b, std::uint32_t lane, std::uint32_t r,
                                 std::uint32_t part) {
  const std::uint32_t bits = element_bits(of_b ? code.b() : code.a());
  const std::uint32_t each = bits >= 32 ? 1 : 32 / bits, outer = of_b ? code.n : code.m;
  const std::uint32_t blocks = code.k / (4 * each);  // along k, of a row of 8 by 4 lanes
  const bool wide = of_b ? code.turned() : code.m >= 16;
  r %= outer / 8 * blocks;  // wmma repeats elements in fragments that need fewer
  const std::uint32_t in_pair = r % (2 * blocks);
  const std::uint32_t block = wide ? in_pair / 2 : r % blocks;
  const std::uint32_t tile = wide ? in_pair % 2 + r / (2 * blocks) * 2 : r / blocks;
  return {lane / 4 + 8 * tile, lane % 4 * each + part + 4 * each * block};
}

/// Element `i` of a lane of c and d: row and column.
inline Position sum_position(const TensorCode& code, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t tile = i / 2, along = lane % 4 * 2 + i % 2;
  if (code.turned()) return {along, lane / 4 + 8 * tile};
  const std::uint32_t rows = code.m / 8;
  return {lane / 4 + 8 * (tile % rows), along + 8 * (tile / rows)};
}

/// m8n8k4 of f16: four products of eight lanes each: lanes 4 q to 4 q + 3, and 16 more for the lower half.
struct QuadPosition {
  std::uint32_t row, column;
};
inline QuadPosition quad_operand(bool of_b, bool by_columns, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t half = lane / 16 * 4;
  // A row of a, a column of b in each lane, or a column of a, a row of b.
  if (of_b == by_columns) return {lane % 4 + half, i};  // outer, inner
  return {i + half, lane % 4};
}
inline QuadPosition quad_sum(bool wide, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t half = lane / 16 * 4;
  if (!wide) return {lane % 4 + half, i};
  return {(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

}  // namespace strata::traces::ptx
