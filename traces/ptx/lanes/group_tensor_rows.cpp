// Products of a group of four warps (wgmma.mma_async): each warp multiplies its 16 rows. Compiled once per
// instruction set, in namespace STRATA_PTX_ISA.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/tensor_product.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

constexpr u32 rows_of_warp = 16, tile_columns = 8, tile_sums = 4;
/// Sums of products of 8-bit floats keep 13 bits below the largest term, and so do their results.
constexpr s32 quarter_bits = 13;

/// Decoded product; 16 by 8 by k elements are the part of one warp and eight columns.
struct Group {
  TensorCode code, stored;
  Operands rows;  ///< b: the metadata
  const u8* a;    ///< in memory; nullptr: in registers
  const u8* b;
  u32 row_bytes;  ///< of b
  u32 tiles;      ///< of eight columns
  bool adds;      ///< to d

  Group(Warp& w, const Op* op) : code(TensorCode::unpack(op->offset)), stored(code), rows(op) {
    check_lanes(w, op);
    const bool sparse = code.has(TensorCode::sparse);
    if (sparse) stored = stored_code(code);
    row_bytes = code.k * element_bits(code.b()) / 8;
    a = group_operands(w);
    b = a + rows_of_warp * row_bytes / (sparse ? 2 : 1);
    if ((op->count & 15) != 0) a = nullptr;
    tiles = op->code / registers();
    const u32 predicate = *row_of<u32>(w, op->c);
    if (predicate != 0 && predicate != all_lanes)
      fault(w, op, -1, "scale-d is not the same in all lanes:", predicate, true);
    adds = predicate != 0;
  }
  u32 registers() const { return code.d() == Element::f16 ? tile_sums / 2 : tile_sums; }
  const Row* sums(u32 tile) const { return rows.d + tile * registers(); }
  const u8* column(u32 tile) const { return b + tile * tile_columns * row_bytes; }
  /// Column of each stored element of a row.
  void read_columns(Warp& w, const Op* op, StoredColumns& columns) const {
    if (code.has(TensorCode::sparse)) return read_metadata(w, op, code, row_of<u32>(w, *rows.b), columns);
    for (u32 row = 0; row < rows_of_warp; ++row)
      for (u32 k = 0; k < std::min<u32>(code.k, most_stored); ++k) columns.at[row][k] = k;
  }
};

/// Eight consecutive elements.
void eight_elements(Element type, const u8* from, u32* to) {
  for (u32 i = 0; i < 8; ++i) to[i] = from[i];
  if (element_bits(type) == 8) return;
  u16 halves[8];
  std::memcpy(halves, from, sizeof(halves));
  for (u32 i = 0; i < 8; ++i) to[i] = halves[i];
  if (element_bits(type) == 32) std::memcpy(to, from, 32);
}

/// Splits floats in memory into their parts: put(row, k, parts of k to k + 7).
template <class Put>
void for_parts(Element type, const u8* from, u32 outer, u32 inner, Put put) {
  const std::array<u16, 256>* const halves = of_quarters(type) ? &halves_of_quarters(type) : nullptr;
  const u32 bytes = element_bits(type) / 8;
  for (u32 row = 0; row < outer; ++row)
    for (u32 k = 0; k < inner; k += 8) {
      u32 bits[8];
      eight_elements(type, from + (row * inner + k) * bytes, bits);
      if (halves != nullptr)
        for (u32& one : bits) one = (*halves)[one];
      EightBits eight;
      std::memcpy(&eight, bits, sizeof(eight));
      put(row, k, element_parts(type, eight));
    }
}

void negate(s32 (*sig)[32], u32 rows) {
  for (u32 row = 0; row < rows; ++row)
    for (u32 k = 0; k < 32; ++k) sig[row][k] = -sig[row][k];
}

void take_a(const Warp& w, const Group& g, RealMatrix& a) {
  std::memset(a.sig, 0, sizeof(a.sig));
  if (g.a == nullptr)
    take_real(
        w, g.stored, false, g.rows.a, [](u32 k) { return k; }, a);
  else
    for_parts(g.code.a(), g.a, rows_of_warp, g.stored.k, [&](u32 row, u32 k, const Parts& parts) {
      a.special = a.special || any(parts.exponent >= infinite_exponent);
      std::memcpy(&a.sig[row][k], &parts.sig, sizeof(parts.sig));
      std::memcpy(&a.exponent[row][k], &parts.exponent, sizeof(parts.exponent));
    });
  // Negating both factors changes nothing; negating one changes the sign.
  if (g.code.has(TensorCode::negative_a) != g.code.has(TensorCode::negative_b)) negate(a.sig, rows_of_warp);
}

void take_b(const Group& g, u32 tile, WideReals& b) {
  b.special = false;
  for_parts(g.code.b(), g.column(tile), tile_columns, g.code.k, [&](u32 column, u32 k, const Parts& parts) {
    b.special = b.special || any(parts.exponent >= infinite_exponent);
    for (u32 i = 0; i < 8; ++i) {
      b.sig[k + i][column] = parts.sig[i];
      b.exponent[k + i][column] = parts.exponent[i];
    }
  });
}

const Op* multiply_real(Warp& w, const Op* op) {
  const Group g(w, op);
  const Element type = g.code.d();
  const bool quarters = of_quarters(g.code.a()), sparse = g.code.has(TensorCode::sparse);
  StoredColumns columns;
  g.read_columns(w, op, columns);
  RealMatrix a, met;
  take_a(w, g, a);
  WideReals b;
  Product p{a, met, 0, 0, tile_columns, 0, g.stored.k, fraction_bits(g.code.a()), type, type == Element::f16};
  p.fewer = quarters ? kept_bits - quarter_bits : 0;
  for (u32 tile = 0; tile < g.tiles; ++tile) {
    take_b(g, tile, b);
    met.special = b.special;
    SumMatrix sums;
    for (u32 i = 0; i < tile_sums; ++i)
      for_sums(g.code, i, [&](u32 lane, u32 row, u32 column) {
        sums.at[row][column] = g.adds ? sum_bits(w, type, g.sums(tile), lane, i) : 0;
      });
    for (p.row = 0; p.row < rows_of_warp; p.row = p.rows) {
      p.rows = sparse ? p.row + 1 : rows_of_warp;
      for (u32 k = 0; k < g.stored.k; ++k) {
        const u32 from = columns.at[p.row][k];
        std::memcpy(met.sig[k], b.sig[from], sizeof(b.sig[from]));
        std::memcpy(met.exponent[k], b.exponent[from], sizeof(b.exponent[from]));
      }
      add_products(p, sums);
    }
    const u32 kept = quarters && type == Element::f32 ? ~((1U << (23 - quarter_bits)) - 1) : ~0U;
    for (u32 i = 0; i < tile_sums; ++i)
      for_sums(g.code, i, [&](u32 lane, u32 row, u32 column) {
        put_sum(w, type, g.sums(tile), lane, i, sums.at[row][column] & kept);
      });
  }
  return op + 1;
}

/// Adds product(row, column) to c; the sum wraps or is clamped.
template <class Product>
void add_whole(const Warp& w, const Group& g, u32 tile, Product product) {
  for (u32 i = 0; i < tile_sums; ++i) {
    s32* const to = row_of<s32>(w, g.sums(tile)[i]);
    for_sums(g.code, i, [&](u32 lane, u32 row, u32 column) {
      s64 sum = (g.adds ? s64{to[lane]} : 0) + product(row, column);
      if (g.code.has(TensorCode::saturates)) sum = std::min<s64>(std::max<s64>(sum, INT32_MIN), INT32_MAX);
      to[lane] = static_cast<s32>(sum);
    });
  }
}

const Op* multiply_whole(Warp& w, const Op* op) {
  const Group g(w, op);
  StoredColumns columns;
  g.read_columns(w, op, columns);
  s32 a[rows_of_warp][most_stored], b[most_stored][tile_columns], sums[rows_of_warp][tile_columns];
  if (g.a == nullptr)
    for_elements(w, g.stored, false, g.rows.a, [&](u32 row, u32 k, u32 distance, const u32* bits) {
      for (u32 i = 0; i < 8; ++i) a[row + i / 4][k + i % 4 * distance] = whole(g.code.a(), bits[i]);
    });
  else
    for (u32 row = 0; row < rows_of_warp; ++row)
      for (u32 k = 0; k < g.stored.k; ++k) a[row][k] = whole(g.code.a(), g.a[row * g.stored.k + k]);
  for (u32 tile = 0; tile < g.tiles; ++tile) {
    for (u32 column = 0; column < tile_columns; ++column)
      for (u32 k = 0; k < g.code.k; ++k)
        b[k][column] = whole(g.code.b(), g.column(tile)[column * g.row_bytes + k]);
    for (u32 row = 0; row < rows_of_warp; ++row) {
      Eight sum = {};
      for (u32 k = 0; k < g.stored.k; ++k) sum += a[row][k] * eight_of(b[columns.at[row][k]]);
      std::memcpy(sums[row], &sum, sizeof(sum));
    }
    add_whole(w, g, tile, [&](u32 row, u32 column) { return sums[row][column]; });
  }
  return op + 1;
}

/// Counts the bits set in both operands.
const Op* multiply_bits(Warp& w, const Op* op) {
  constexpr u32 words = 8;
  const Group g(w, op);
  u32 a[rows_of_warp][words];
  if (g.a != nullptr) {
    std::memcpy(a, g.a, sizeof(a));
  } else {
    for (u32 r = 0; r < registers_of(g.code, false); ++r)
      for (u32 lane = 0; lane < 32; ++lane) {
        const Position at = operand_position(g.code, false, lane, r, 0);
        a[at.outer][at.inner / 32] = row_of<u32>(w, g.rows.a[r])[lane];
      }
  }
  for (u32 tile = 0; tile < g.tiles; ++tile) {
    u32 b[tile_columns][words];
    std::memcpy(b, g.column(tile), sizeof(b));
    add_whole(w, g, tile, [&](u32 row, u32 column) {
      s32 sum = 0;
      for (u32 n = 0; n < words; ++n) sum += __builtin_popcount(a[row][n] & b[column][n]);
      return sum;
    });
  }
  return op + 1;
}

constexpr HandlerEntry rows[] = {make_row(multiply_real, {}, "wgmma.real"),
                                 make_row(multiply_whole, {}, "wgmma.whole"),
                                 make_row(multiply_bits, {}, "wgmma.bits")};

}  // namespace

void add_group_tensor(HandlerTable& table) {
  add(table, rows);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
