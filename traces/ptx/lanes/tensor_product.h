#pragma once

#include <array>
#include <cmath>
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

/// How the tensor cores of an H100 add products of floats. Measured there with chosen and random operands
/// (tb/data/ptx/gpu); it agrees with M. Khattak and M. Mikaitis, "Accurate models of NVIDIA tensor cores"
/// (2025). Described in docs/guide/ptx.md, "Matrices".
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// Eight lanes side by side.
using Eight = s32 __attribute__((vector_size(32)));
using EightBits = u32 __attribute__((vector_size(32)));

inline Eight eight_of(const s32* from) {
  Eight to;
  __builtin_memcpy(&to, from, sizeof(to));
  return to;
}
inline Eight larger(Eight a, Eight b) {
  return a > b ? a : b;
}
inline bool any(Eight mask) {
  s64 words[4];
  __builtin_memcpy(words, &mask, sizeof(words));
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

constexpr s32 no_exponent = -100000;       ///< of the value 0: below every other
constexpr s32 infinite_exponent = 100000;  ///< of infinities; NaN has one more
constexpr s32 kept_bits = 25;              ///< below the largest term
constexpr s32 least_exponent = -133;       ///< least exponent of the largest term

inline bool is_finite(s32 exponent) {
  return exponent < infinite_exponent;
}
inline bool is_nan(s32 exponent) {
  return exponent > infinite_exponent;
}

/// sig * 2^(exponent - fraction bits of the format).
struct Parts {
  Eight sig, exponent;
};

template <int ExponentBits, int FractionBits>
inline Parts unpacked(EightBits bits) {
  constexpr s32 top = (1 << ExponentBits) - 1, bias = top >> 1;
  const Eight fraction = as<Eight>(bits & ((1U << FractionBits) - 1));
  const Eight exponent = as<Eight>(bits >> FractionBits) & top;
  const Eight sign = -as<Eight>(bits >> (ExponentBits + FractionBits) & 1);
  const Eight size = fraction | (as<Eight>(exponent != 0) & (1 << FractionBits));
  const Eight none = {};
  Parts parts;
  parts.sig = (size ^ sign) - sign;
  parts.exponent = size == 0 ? none + no_exponent : larger(exponent, none + 1) - bias;
  const Eight special = infinite_exponent - as<Eight>(fraction != 0);  // true is -1
  parts.exponent = exponent == top ? special : parts.exponent;
  return parts;
}

/// Elements of a format. f16, tf32 and the 8-bit formats, which come as f16, have 10 bits of fraction here.
inline Parts element_parts(Element e, EightBits bits) {
  if (e == Element::bf16) return unpacked<8, 7>(bits);
  if (e == Element::tf32) return unpacked<8, 10>(bits >> 13);
  return unpacked<5, 10>(bits);
}
inline int fraction_bits(Element e) {
  return e == Element::bf16 ? 7 : 10;
}

/// Shifts a term's significand to an exponent that is `down` larger; the bits shifted out are cut off.
inline Eight aligned(Eight sig, Eight down) {
  const Eight sign = sig >> 31, most = Eight{} + 31;
  const EightBits size = as<EightBits>((sig ^ sign) - sign);
  const Eight kept = as<Eight>(size >> as<EightBits>(down < most ? down : most));
  return (kept ^ sign) - sign;
}

/// Eight sums of finite terms: (part[0] + part[1]) * 2^unit.
struct Sums {
  Eight part[2];  ///< a sum of 16 products and c may have 32 bits and its sign
  Eight unit;
  s64 whole(int i) const { return s64{part[0][i]} + part[1][i]; }
  /// Exact: 33 bits.
  double value(int i) const {
    return (static_cast<double>(part[0][i]) + static_cast<double>(part[1][i])) *
           as<double>(static_cast<u64>(unit[i] + 1023) << 52);
  }
};

/// Adds c (24 bits of significand) and `count` products of a row of a and eight columns of b, whose rows are
/// `stride` apart. Each term is cut off 25 bits below the largest exponent (`fewer` bits earlier).
inline Sums add_products(Parts c, const s32* a_sig, const s32* a_exponent, const s32* b_sig,
                         const s32* b_exponent, u32 stride, u32 count, int fraction, s32 fewer) {
  Eight largest = c.exponent;
  for (u32 k = 0; k < count; ++k)
    largest = larger(largest, a_exponent[k] + eight_of(b_exponent + k * stride));
  largest = larger(largest, Eight{} + least_exponent) + fewer;
  const int up = kept_bits - 2 * fraction;
  const auto term = [&](u32 k) {
    return aligned(a_sig[k] * (1 << up) * eight_of(b_sig + k * stride),
                   largest - (a_exponent[k] + eight_of(b_exponent + k * stride)));
  };
  Eight even = aligned(c.sig * (1 << (kept_bits - 23)), largest - c.exponent), odd = {};
  for (u32 k = 0; k < count; k += 2) {  // the number of columns is a multiple of four
    even += term(k);
    odd += term(k + 1);
  }
  return {{even, odd}, largest - kept_bits};
}

/// sum * 2^exponent as f32, truncated.
inline u32 cut_to_single(s64 sum, s32 exponent) {
  if (sum == 0) return 0;
  const u32 sign = sum < 0 ? 0x80000000U : 0;
  const u64 size = sum < 0 ? 0 - static_cast<u64>(sum) : static_cast<u64>(sum);
  const s32 top = 63 - __builtin_clzll(size), value = top + exponent;
  if (value > 127) return sign | 0x7f800000U;
  const s32 unit = value - 23 > -149 ? value - 23 : -149, shift = unit - exponent;
  const u64 kept = shift <= 0 ? size << -shift : shift > 63 ? 0 : size >> shift;
  if (kept == 0) return 0;
  return sign |
         static_cast<u32>(value < -126 ? kept : (static_cast<u64>(value + 127) << 23) + (kept & 0x7fffff));
}
/// cut_to_single() of eight sums; normal numbers are converted together.
inline void cut_to_singles(const Sums& sums, u32* to) {
  constexpr u64 cut = ~((u64{1} << 29) - 1);
  bool normal = true;
  for (int i = 0; i < 8; ++i) {
    const double value = sums.value(i), size = std::fabs(value);
    normal = normal & ((size >= 0x1p-126 && size < 0x1p128) || size == 0);
    to[i] = as<u32>(static_cast<float>(as<double>(as<u64>(value) & cut)));
  }
  if (normal) return;
  for (int i = 0; i < 8; ++i) to[i] = cut_to_single(sums.whole(i), sums.unit[i]);
}
/// As f16, rounded to nearest; a 0 is +0.
inline void round_to_halves(const Sums& sums, u32* to) {
  for (int i = 0; i < 8; ++i) {
    const u32 bits = Half::narrow(sums.value(i));
    to[i] = (bits & 0x7fff) == 0 ? 0 : bits;
  }
}

// Operands of matrix instructions in registers and as matrices.

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

/// Reads operand a (rows) or b (columns), part by part of each register. put(outer, inner, distance, from)
/// gets the elements of eight lanes, from[0] to from[7]; that of lane i is at outer + i / 4 and inner + i % 4
/// * distance.
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

/// Calls use(lane, row, column) for element i of c or d in each lane.
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

/// Rows of an operation in order: d, a, b, c.
struct Operands {
  const Row *d, *a, *b, *c;
  Operands(const Op* op)  // NOLINT: the operation has the counts
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

// Floats of 8, 6 and 4 bits, which tensor cores read as bytes.

/// A six-bit float with `fraction` bits of fraction and two or three of exponent; it has no infinities.
inline u16 half_of_six(u32 bits, int fraction, int bias) {
  const int exponent = static_cast<int>((bits & 31) >> fraction),
            part = static_cast<int>(bits & ((1U << fraction) - 1));
  const double size = std::ldexp(part + (exponent != 0 ? 1 << fraction : 0),
                                 (exponent != 0 ? exponent : 1) - bias - fraction);
  return static_cast<u16>(Half::narrow(size) | (bits & 0x20) << 10);
}
/// Converts e4m3, e5m2 and smaller formats to f16, as the machine does.
inline u16 half_of_quarter(Element e, u32 bits) {
  if (e == Element::e5m2) return static_cast<u16>(bits << 8);
  if (e == Element::e3m2) return half_of_six(bits, 2, 3);
  if (e == Element::e2m3) return half_of_six(bits, 3, 1);
  if (e == Element::e2m1) return half_of_six(bits & 0x3c, 3, 1);  // e2m3 with the last two bits of fraction 0
  if ((bits & 0x7f) == 0x7f) return static_cast<u16>((bits & 0x80) << 8 | 0x7fff);
  const double value = std::ldexp(static_cast<double>((bits & 7) + ((bits & 0x78) != 0 ? 8 : 0)),
                                  static_cast<int>((bits & 0x78) != 0 ? bits >> 3 & 15 : 1) - 10);
  return static_cast<u16>(Half::narrow(value) | (bits & 0x80) << 8);
}

constexpr u32 first_quarter = static_cast<u32>(Element::e4m3);
static_assert(static_cast<u32>(Element::e2m1) == first_quarter + 4,
              "floats in eight bits stand side by side");
/// Table of all 8-bit numbers as f16.
inline const std::array<u16, 256>& halves_of_quarters(Element type) {
  static const auto tables = [] {
    std::array<std::array<u16, 256>, 5> all;
    for (u32 e = 0; e < all.size(); ++e)
      for (u32 bits = 0; bits < 256; ++bits)
        all[e][bits] = half_of_quarter(static_cast<Element>(first_quarter + e), bits);
    return all;
  }();
  return tables[static_cast<u32>(type) - first_quarter];
}

inline bool of_quarters(Element e) {
  return e >= Element::e4m3 && e <= Element::e2m1;
}

// Scales of products of small floats.

/// Factors of the rows of a and the columns of b (`.block_scale`).
struct Scales {
  double row[16], column[8];
};

/// Reads the scales of `.block_scale` (powers of two, 255 is NaN): rows a and b of the operation hold those
/// of a and b, `selectors` the byte and the thread. Two of four threads hold the scales of rows lane / 4 and
/// lane / 4 + 8, one of four that of column lane / 4 (PTX ISA 9.1, "Block Scaling"; CUTLASS,
/// cute/atom/mma_traits_sm120.hpp).
inline void read_scales(Warp& w, const Op* op, const Row* selectors, Scales& scales) {
  u32 chosen[4];
  for (u32 n = 0; n < 4; ++n) {
    chosen[n] = row_of<u16>(w, selectors[n])[0];
    if (chosen[n] > (n == 1 ? 1U : 3U))
      fault(w, op, -1, "a scale lies in byte 0 to 3 of thread 0 or 1 (a), 0 to 3 (b), found", chosen[n],
            true);
  }
  const auto scale = [&](Row from, u32 lane, u32 byte) {
    const u32 bits = row_of<u32>(w, from)[lane] >> 8 * byte & 255;
    return bits == 255 ? NAN : std::ldexp(1.0, static_cast<int>(bits) - 127);
  };
  for (u32 row = 0; row < 16; ++row)
    scales.row[row] = scale(op->a, row % 8 * 4 + 2 * chosen[1] + row / 8, chosen[0]);
  for (u32 column = 0; column < 8; ++column)
    scales.column[column] = scale(op->b, column * 4 + chosen[3], chosen[2]);
}

// Products of matrices of floats, row by row.

/// Floats split into their parts. Both a and b are by rows, so that sums of a row are computed together.
struct RealMatrix {
  s32 sig[32][32];
  s32 exponent[32][32];
  bool special = false;  ///< it has infinities or NaN
};

/// Reads the parts of operand a or b; element k is at inner place(k).
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

/// Rows [row, rows) of a product: columns [first, first + count) of a with those rows of b, and the format of
/// the sums.
struct Product {
  const RealMatrix& a;
  const RealMatrix& b;
  u32 row, rows, columns, first, count;
  int fraction;
  Element c;
  bool to_half;
  s32 fewer = 0;  ///< sums keep so many fewer bits than 25 below the largest term
  const Scales* scales = nullptr;
};

/// Handles infinities and NaN among the products and c, which is `start`. True: `result` is final.
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

/// Adds the products to c in place.
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

/// Position of an 8-bit column k, so that columns that are added together are adjacent.
inline u32 place_of_quarter(u32 k, u32 columns) {
  return (k & 2) / 2 * (columns / 2) + k / 4 * 2 + (k & 1);
}

/// Adds 8-bit columns in two halves that begin with 0: k modulo 4 below 2 first, then the others. c is added
/// last, separately.
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

// Columns of the stored elements of a sparse matrix, from the metadata.

constexpr u32 sparse_rows = 16, sparse_columns = 8, most_stored = 64;

/// Column of a for each stored element of a row.
struct StoredColumns {
  u32 at[sparse_rows][most_stored];
};

/// Columns of a chunk, which one index of four bits describes.
inline u32 chunk_width(Element type) {
  const u32 bits = element_bits(type);
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

/// The four bits of chunk `chunk` of `row`. With elements of 16 bits and more, a lane holds four chunks of
/// its row and of the row 8 below; else eight chunks of one row, and the next lane those of the row 8 below.
/// `selector` counts groups of lanes that hold all chunks (PTX ISA, "Matrix fragments for sparse mma";
/// figures of the metadata).
inline u32 metadata_of(const TensorCode& code, const u32* words, u32 row, u32 chunk, u32& lane) {
  const bool wide = element_bits(code.a()) >= 16;
  const u32 each = wide ? 4 : 8, chunks = code.k / chunk_width(code.a());
  const u32 lanes = wide ? chunks / 4 : chunks / 8 * 2, selector = code.matrix;
  lane = row % 8 * 4 + selector * lanes + (wide ? chunk / each : chunk / each * 2 + row / 8);
  return words[lane] >> ((wide ? row / 8 * 16 : 0) + chunk % each * 4) & 15;
}

/// True for two of four in order; tf32, with two halves per element, allows the first or the last two.
inline bool is_defined(const TensorCode& code, u32 bits) {
  if (code.a() == Element::tf32) return bits == 0b0100 || bits == 0b1110;
  const u32 low = bits & 3, high = bits >> 2;
  return code.has(TensorCode::ordered) ? low < high : low != high;
}

inline void read_metadata(Warp& w, const Op* op, const TensorCode& code, const u32* words,
                          StoredColumns& columns) {
  const u32 width = chunk_width(code.a()), stored = width / 2;
  for (u32 row = 0; row < sparse_rows; ++row)
    for (u32 chunk = 0; chunk < code.k / width; ++chunk) {
      u32 lane = 0;
      const u32 bits = metadata_of(code, words, row, chunk, lane);
      if (!is_defined(code, bits))
        report_error(w, op, static_cast<int>(lane),
                     "no places of two elements of four in the metadata:", bits);
      u32* const at = &columns.at[row][chunk * stored];
      for (u32 i = 0; i < stored; ++i) {
        const u32 place = stored == 1 ? bits >> 1 & 1 : bits >> i * 2 / stored * 2 & 3;
        at[i] = chunk * width + (stored == 4 ? place * 2 + i % 2 : place);
      }
    }
}

/// Code of operand a as stored, with half as many columns.
inline TensorCode stored_code(TensorCode code) {
  code.k = static_cast<std::uint16_t>(code.k / 2);
  return code;
}
/// All of operand b.
struct WideReals {
  s32 sig[most_stored][sparse_columns];
  s32 exponent[most_stored][sparse_columns];
  bool special = false;
};

}  // namespace
}  // namespace strata::traces::ptx
