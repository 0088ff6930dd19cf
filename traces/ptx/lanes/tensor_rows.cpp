// Products of matrices that a warp holds in its registers: compiled once for each set of instructions, whose
// namespace STRATA_PTX_ISA names.
#include <algorithm>
#include <array>
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_real.h"
#include "traces/ptx/lanes/tensor_real.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

constexpr u32 most_outer = 32, most_inner = 256;

void check_lanes(const Warp& w, const Op* op) {
  if (w.mask != all_lanes) fault(w, op, -1, "all 32 lanes of a warp must execute it together");
}

u32 registers_of(const TensorCode& code, bool of_b) {
  const u32 bits = element_bits(of_b ? code.b() : code.a());
  return (of_b ? code.n : code.m) * code.k * bits / (bits == 64 ? 64 : 32) / 32;
}
u32 sums_of(const TensorCode& code) {
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

/// e4m3 and e5m2 are made f16 first, as the machine does.
u16 half_of_quarter(Element e, u32 bits) {
  if (e == Element::e5m2) return static_cast<u16>(bits << 8);
  if ((bits & 0x7f) == 0x7f) return static_cast<u16>((bits & 0x80) << 8 | 0x7fff);
  const double value = std::ldexp(static_cast<double>((bits & 7) + ((bits & 0x78) != 0 ? 8 : 0)),
                                  static_cast<int>((bits & 0x78) != 0 ? bits >> 3 & 15 : 1) - 10);
  return static_cast<u16>(Half::narrow(value) | (bits & 0x80) << 8);
}

/// What the numbers of eight bits are as f16.
const std::array<u16, 256>& halves_of_quarters(Element type) {
  static const auto tables = [] {
    std::array<std::array<u16, 256>, 2> all;
    for (u32 bits = 0; bits < 256; ++bits) {
      all[0][bits] = half_of_quarter(Element::e4m3, bits);
      all[1][bits] = half_of_quarter(Element::e5m2, bits);
    }
    return all;
  }();
  return tables[type == Element::e5m2 ? 1 : 0];
}

/// Floats in their parts: a by rows, b by rows too, so that sums of a row are made side by side.
struct RealMatrix {
  s32 sig[32][32];
  s32 exponent[32][32];
  bool special = false;  ///< it has infinities or NaN
};

/// The parts of operand a or b; element k lies at inner place(k).
template <class Place>
void take_real(const Warp& w, const TensorCode& code, bool of_b, const Row* rows, Place place,
               RealMatrix& to) {
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

/// Products of columns [first, first + count) of a with those rows of b, and how sums come and go.
struct Product {
  const RealMatrix& a;
  const RealMatrix& b;
  u32 rows, columns, first, count;
  int fraction;
  Element c;
  bool to_half;
};

/// Infinities and NaN among the products and c, which is `start`; true: `result` is all there is.
bool special_sum(const Product& p, u32 row, u32 column, s32 start_exponent, bool start_negative,
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
void add_products(const Product& p, SumMatrix& sums) {
  for (u32 row = 0; row < p.rows; ++row)
    for (u32 column = 0; column < p.columns; column += 8) {
      u32* const at = &sums.at[row][column];
      EightBits bits;
      std::memcpy(&bits, at, sizeof(bits));
      Parts start = p.c == Element::f16 ? unpacked<5, 10>(bits) : unpacked<8, 23>(bits);
      if (p.c == Element::f16) start.sig *= 1 << 13;
      const Sums eight =
          add_products(start, p.a.sig[row] + p.first, p.a.exponent[row] + p.first, &p.b.sig[p.first][column],
                       &p.b.exponent[p.first][column], 32, p.count, p.fraction);
      p.to_half ? round_to_halves(eight, at) : cut_to_singles(eight, at);
      if (!p.a.special && !p.b.special && !any(start.exponent >= infinite_exponent)) continue;
      for (u32 i = 0; i < 8; ++i) {
        u32 result;
        if (special_sum(p, row, column + i, start.exponent[i], start.sig[i] < 0, result)) at[i] = result;
      }
    }
}

u32 sum_bits(const Warp& w, Element type, const Row* rows, u32 lane, u32 i) {
  if (type == Element::f16) return row_of<u16>(w, rows[i / 2])[2 * lane + i % 2];
  return row_of<u32>(w, rows[i])[lane];
}
void put_sum(const Warp& w, Element type, const Row* rows, u32 lane, u32 i, u32 bits) {
  if (type == Element::f16)
    row_of<u16>(w, rows[i / 2])[2 * lane + i % 2] = static_cast<u16>(bits);
  else
    row_of<u32>(w, rows[i])[lane] = bits;
}

bool of_quarters(Element e) {
  return e == Element::e4m3 || e == Element::e5m2;
}

/// Columns of eight bits are added in two halves, from nothing: k modulo 4 below 2 first, then the others. c
/// comes last, as an addition of its own.
void add_quarters(Product p, u32 k, SumMatrix& sums) {
  SumMatrix products = {};
  p.count = k / 2;
  add_products(p, products);
  p.first = p.count;
  add_products(p, products);
  for (u32 row = 0; row < p.rows; ++row)
    for (u32 column = 0; column < p.columns; ++column) {
      u32& c = sums.at[row][column];
      const u32 sum = products.at[row][column];
      if (p.c == Element::f16)
        c = Half::narrow(Half::widen(static_cast<u16>(sum)) + Half::widen(static_cast<u16>(c)));
      else
        c = as<u32>(as<float>(sum) + as<float>(c));
    }
}

const Op* multiply_real(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  RealMatrix a, b;
  const bool quarters = of_quarters(code.a());
  const auto place = [&](u32 k) { return !quarters ? k : (k & 2) / 2 * (code.k / 2U) + k / 4 * 2 + (k & 1); };
  take_real(w, code, false, rows.a, place, a);
  take_real(w, code, true, rows.b, place, b);
  SumMatrix sums;
  const u32 count = sums_of(code);
  for (u32 i = 0; i < count; ++i)
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      sums.at[row][column] = sum_bits(w, code.c(), rows.c, lane, i);
    });
  const bool half = quarters ? code.c() == Element::f16 : code.d() == Element::f16;
  Product p{a, b, code.m, code.n, 0, code.k, fraction_bits(code.a()), code.c(), half};
  if (quarters) {
    add_quarters(p, code.k, sums);
  } else if (code.a() == Element::tf32 && code.n == 16) {  // wmma of tf32 is two instructions of four columns
    p.count = 4;
    add_products(p, sums);
    p.first = 4;
    add_products(p, sums);
  } else {
    add_products(p, sums);
  }
  for (u32 i = 0; i < count; ++i)
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      put_sum(w, code.d(), rows.d, lane, i, sums.at[row][column]);
    });
  return op + 1;
}

float half_value(u32 bits) {
  return static_cast<float>(Half::widen(static_cast<u16>(bits)));
}
/// The H100 has no instruction for m8n8k4: a chain of fused operations in single precision, to which c is
/// added. Its order, and whether it begins with +0, is that of the programs there.
u32 quad_dot(const TensorCode& code, const float* a, const float* b, u32 c) {
  if (code.d() == Element::f16) {
    float sum = a[0] * b[0];
    for (const u32 k : {2U, 1U, 3U}) sum = fused(a[k], b[k], sum);
    return Half::narrow(static_cast<double>(sum + half_value(c)));
  }
  float sum = 0;
  for (u32 k = 0; k < 4; ++k) sum = fused(a[k], b[k], sum);
  return as<u32>(sum + (code.c() == Element::f16 ? half_value(c) : as<float>(c)));
}

/// m8n8k4: four products at once, each of eight lanes.
const Op* multiply_quads(Warp& w, const Op* op) {
  check_lanes(w, op);
  TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  u32 results[8][32];
  for (u32 quad = 0; quad < 4; ++quad) {
    float a[8][4], b[8][4];
    for (u32 half = 0; half < 2; ++half)
      for (u32 lane = quad * 4 + half * 16; lane < quad * 4 + half * 16 + 4; ++lane)
        for (u32 i = 0; i < 4; ++i) {
          const QuadPosition x = quad_operand(false, code.has(TensorCode::columns_a), lane, i),
                             y = quad_operand(true, code.has(TensorCode::columns_b), lane, i);
          a[x.row][x.column] = half_value(sum_bits(w, Element::f16, rows.a, lane, i));
          b[y.row][y.column] = half_value(sum_bits(w, Element::f16, rows.b, lane, i));
        }
    for (u32 half = 0; half < 2; ++half)
      for (u32 lane = quad * 4 + half * 16; lane < quad * 4 + half * 16 + 4; ++lane)
        for (u32 i = 0; i < 8; ++i) {
          const QuadPosition at = quad_sum(code.d() == Element::f32, lane, i);
          u32 c = 0;
          for (u32 from = 0; from < 8; ++from)  // c may be laid out otherwise than d
            for (u32 other = 0; other < 8; ++other) {
              const u32 source = quad * 4 + other % 4 + other / 4 * 16;
              const QuadPosition there = quad_sum(code.c() == Element::f32, source, from);
              if (there.row == at.row && there.column == at.column)
                c = sum_bits(w, code.c(), rows.c, source, from);
            }
          results[i][lane] = quad_dot(code, a[at.row], b[at.column], c);
        }
  }
  for (u32 i = 0; i < 8; ++i)
    for (u32 lane = 0; lane < 32; ++lane) put_sum(w, code.d(), rows.d, lane, i, results[i][lane]);
  return op + 1;
}

/// f64: a chain of fused operations, k ascending.
const Op* multiply_doubles(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  double a[16][16], b[16][8], sums[16][8];
  for (const bool of_b : {false, true})
    for (u32 r = 0; r < registers_of(code, of_b); ++r) {
      const Position first = operand_position(code, of_b, 0, r, 0);
      const double* const from = row_of<double>(w, (of_b ? rows.b : rows.a)[r]);
      for (u32 lane = 0; lane < 32; ++lane) {
        const u32 outer = first.outer + lane / 4, inner = first.inner + lane % 4;
        (of_b ? b[inner][outer] : a[outer][inner]) = from[lane];
      }
    }
  const u32 count = sums_of(code);
  for (u32 i = 0; i < count; ++i) {
    const double* const from = row_of<double>(w, rows.c[i]);
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) { sums[row][column] = from[lane]; });
  }
  for (u32 row = 0; row < code.m; ++row)
    for (u32 k = 0; k < code.k; ++k)
      for (u32 column = 0; column < 8; ++column)
        sums[row][column] = fused(a[row][k], b[k][column], sums[row][column]);
  for (u32 i = 0; i < count; ++i) {
    double* const to = row_of<double>(w, rows.d[i]);
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) { to[lane] = sums[row][column]; });
  }
  return op + 1;
}

s32 whole(Element type, u32 bits) {
  switch (type) {
    case Element::int8:
      return static_cast<s8>(bits);
    case Element::int4:
      return static_cast<s32>(bits << 28) >> 28;
    default:
      return static_cast<s32>(bits);
  }
}

/// Whole numbers and bits; sums wrap, or are clamped once at the end.
const Op* multiply_whole(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  s32 a[most_outer][most_inner], b[most_inner][most_outer];
  for_elements(w, code, false, rows.a, [&](u32 row, u32 k, u32 distance, const u32* bits) {
    for (u32 i = 0; i < 8; ++i) a[row + i / 4][k + i % 4 * distance] = whole(code.a(), bits[i]);
  });
  for_elements(w, code, true, rows.b, [&](u32 column, u32 k, u32 distance, const u32* bits) {
    for (u32 i = 0; i < 8; ++i) b[k + i % 4 * distance][column + i / 4] = whole(code.b(), bits[i]);
  });
  const bool differ = code.a() == Element::bit && !code.has(TensorCode::is_and);
  SumMatrix sums;  // of products: of 256 bits, or of 64 times 255 * 255 at most
  for (u32 row = 0; row < code.m; ++row)
    for (u32 column = 0; column < code.n; column += 8) {
      Eight sum = {};
      for (u32 k = 0; k < code.k; ++k) {
        const Eight other = eight_of(&b[k][column]);
        sum += differ ? a[row][k] ^ other : a[row][k] * other;
      }
      std::memcpy(&sums.at[row][column], &sum, sizeof(sum));
    }
  const u32 count = sums_of(code);
  for (u32 i = 0; i < count; ++i) {
    const s32* const from = row_of<s32>(w, rows.c[i]);
    s32* const to = row_of<s32>(w, rows.d[i]);
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      s64 sum = s64{from[lane]} + static_cast<s32>(sums.at[row][column]);
      if (code.has(TensorCode::saturates)) sum = std::min<s64>(std::max<s64>(sum, INT32_MIN), INT32_MAX);
      to[lane] = static_cast<s32>(sum);
    });
  }
  return op + 1;
}

constexpr HandlerEntry rows[] = {
    make_row(multiply_real, {}, "mma.real"), make_row(multiply_quads, {}, "mma.quads"),
    make_row(multiply_doubles, {}, "mma.f64"), make_row(multiply_whole, {}, "mma.whole")};

}  // namespace

void add_tensor(HandlerTable& table) {
  add(table, rows);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
