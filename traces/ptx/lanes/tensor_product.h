#pragma once

#include <cstring>

#include "traces/ptx/lanes/tensor_lanes.h"
#include "traces/ptx/lanes/tensor_real.h"
#include "traces/ptx/lanes/tensor_scales.h"
#include "traces/ptx/lanes/tensor_small.h"

/// Products of matrices of floats, row by row.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// Floats in their parts: a by rows, b by rows too, so that sums of a row are made side by side.
struct RealMatrix {
  s32 sig[32][32];
  s32 exponent[32][32];
  bool special = false;  ///< it has infinities or NaN
};

/// The parts of operand a or b; element k lies at inner place(k).
template <class Place, class Matrix>
void take_real(const Warp& w, const TensorCode& code, bool of_b, const Row* rows, Place place, Matrix& to) {
  const Element type = of_b ? code.b() : code.a();
  const std::array<u16, 256>* const halves = element_bits(type) == 8 ? &halves_of_quarters(type) : nullptr;
  for_elements(w, code, of_b, rows, [&](u32 outer, u32 inner, u32 distance, u32* bits) {
    if (halves != nullptr)
      for (u32 i = 0; i < 8; ++i) bits[i] = (*halves)[bits[i]];
    EightBits eight;
    std::memcpy(&eight, bits, sizeof(eight));
    const Parts parts = element_parts(type, eight);
    to.special = to.special || any(parts.exponent >= infinite_exponent);
    for (u32 i = 0; i < 8; ++i) {
      const u32 x = outer + i / 4, k = place(inner + i % 4 * distance);
      (of_b ? to.sig[k][x] : to.sig[x][k]) = parts.sig[i];
      (of_b ? to.exponent[k][x] : to.exponent[x][k]) = parts.exponent[i];
    }
  });
}

constexpr u32 canonical_nan = 0x7fffffff;

/// Rows [row, rows) of the product of columns [first, first + count) of a with those rows of b, and how sums
/// come and go.
struct Product {
  const RealMatrix& a;
  const RealMatrix& b;
  u32 row, rows, columns, first, count;
  int fraction;
  Element c;
  bool to_half;
  s32 fewer = 0;  ///< bits below the largest term than the 25 that sums keep
  const Scales* scales = nullptr;
};

/// Infinities and NaN among the products and c, which is `start`; true: `result` is all there is.
inline bool special_sum(const Product& p, u32 row, u32 column, s32 start_exponent, bool start_negative,
                        u32& result) {
  const bool infinite = start_exponent == infinite_exponent;
  bool plus = infinite && !start_negative, minus = infinite && start_negative, none = is_nan(start_exponent);
  for (u32 k = p.first; k < p.first + p.count; ++k) {
    const s32 x = p.a.exponent[row][k], y = p.b.exponent[k][column];
    if (is_finite(x) && is_finite(y)) continue;
    const s32 sig = p.a.sig[row][k], other = p.b.sig[k][column];
    none = none || is_nan(x) || is_nan(y) || sig == 0 || other == 0;
    ((sig < 0) == (other < 0) ? plus : minus) = true;
  }
  if (none || (plus && minus))
    result = p.to_half ? 0x7fff : canonical_nan;
  else if (p.to_half)
    result = plus ? 0x7c00 : 0xfc00;
  else
    result = plus ? 0x7f800000 : 0xff800000;
  return none || plus || minus;
}

/// c + products, in place.
inline void add_products(const Product& p, SumMatrix& sums) {
  for (u32 row = p.row; row < p.rows; ++row)
    for (u32 column = 0; column < p.columns; column += 8) {
      u32* const at = &sums.at[row][column];
      EightBits bits;
      std::memcpy(&bits, at, sizeof(bits));
      Parts start = p.c == Element::f16 ? unpacked<5, 10>(bits) : unpacked<8, 23>(bits);
      if (p.c == Element::f16) start.sig *= 1 << 13;
      const Sums eight =
          add_products(start, p.a.sig[row] + p.first, p.a.exponent[row] + p.first, &p.b.sig[p.first][column],
                       &p.b.exponent[p.first][column], 32, p.count, p.fraction, p.fewer);
      p.to_half ? round_to_halves(eight, at) : cut_to_singles(eight, at);
      if (!p.a.special && !p.b.special && !any(start.exponent >= infinite_exponent)) continue;
      for (u32 i = 0; i < 8; ++i) {
        u32 result;
        if (special_sum(p, row, column + i, start.exponent[i], start.sig[i] < 0, result)) at[i] = result;
      }
    }
}

/// Where column k of eight bits stands, so that what is added together stands side by side.
inline u32 place_of_quarter(u32 k, u32 columns) {
  return (k & 2) / 2 * (columns / 2) + k / 4 * 2 + (k & 1);
}

/// Columns of eight bits are added in two halves, from nothing: k modulo 4 below 2 first, then the others. c
/// comes last, as an addition of its own.
inline void add_quarters(Product p, u32 k, SumMatrix& sums) {
  SumMatrix products = {};
  p.count = k / 2;
  add_products(p, products);
  p.first = p.count;
  add_products(p, products);
  for (u32 row = p.row; row < p.rows; ++row)
    for (u32 column = 0; column < p.columns; ++column) {
      u32& c = sums.at[row][column];
      const u32 sum = products.at[row][column];
      if (p.scales != nullptr)
        c = as<u32>(static_cast<float>(as<float>(sum) * p.scales->row[row] * p.scales->column[column] +
                                       static_cast<double>(as<float>(c))));
      else if (p.c == Element::f16)
        c = Half::narrow(Half::widen(static_cast<u16>(sum)) + Half::widen(static_cast<u16>(c)));
      else
        c = as<u32>(as<float>(sum) + as<float>(c));
    }
}

}  // namespace
}  // namespace strata::traces::ptx
