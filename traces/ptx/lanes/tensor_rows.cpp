// Products of matrices that a warp holds in its registers.
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_real.h"
#include "traces/ptx/lanes/tensor_real.h"

namespace strata::traces::ptx {
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

/// Operand a (rows) or b (columns), element by element: put(outer, inner, bits).
template <class Put>
void for_elements(const Warp& w, const TensorCode& code, bool of_b, const Row* rows, Put put) {
  const u32 bits = element_bits(of_b ? code.b() : code.a()), each = bits >= 32 ? 1 : 32 / bits;
  const u32 count = registers_of(code, of_b);
  for (u32 r = 0; r < count; ++r) {
    const u32* words = row_of<u32>(w, rows[r]);
    for (u32 lane = 0; lane < 32; ++lane)
      for (u32 part = 0; part < each; ++part) {
        const Position at = operand_position(code, of_b, lane, r, part);
        put(at.outer, at.inner, bits >= 32 ? words[lane] : words[lane] >> part * bits & ((1U << bits) - 1));
      }
  }
}

/// The rows of an operation in order: d, a, b, c.
struct Operands {
  const Row *d, *a, *b, *c;
  Operands(const Op* op)  // NOLINT: counts stand in the operation
      : d(op->rows), a(d + (op->code)), b(a + (op->count & 15)), c(b + (op->count >> 4)) {}
};

struct RealMatrix {
  Part part[most_outer][32];
  Kind kind[most_outer][32];
  bool special[most_outer] = {};
};

void put_real(RealMatrix& to, Element type, u32 outer, u32 inner, u32 bits) {
  Kind kind = Kind::finite;
  to.part[outer][inner] = element_part(type, bits, kind);
  to.kind[outer][inner] = kind;
  to.special[outer] = to.special[outer] || kind != Kind::finite;
}

constexpr u32 canonical_nan = 0x7fffffff;

/// Infinities and NaN among the products and c; true: `result` is all there is.
bool special_sum(const RealMatrix& a, u32 row, const RealMatrix& b, u32 column, u32 first, u32 count, Kind c,
                 bool c_negative, u32& result) {
  bool plus = c == Kind::infinite && !c_negative, minus = c == Kind::infinite && c_negative,
       none = c == Kind::nan;
  for (u32 k = first; k < first + count; ++k) {
    const Kind x = a.kind[row][k], y = b.kind[column][k];
    if (x == Kind::finite && y == Kind::finite) continue;
    const Part &p = a.part[row][k], &q = b.part[column][k];
    none = none || x == Kind::nan || y == Kind::nan || p.sig == 0 || q.sig == 0;
    ((p.sig < 0) == (q.sig < 0) ? plus : minus) = true;
  }
  if (none || (plus && minus))
    result = canonical_nan;
  else
    result = plus ? 0x7f800000 : 0xff800000;
  return none || plus || minus;
}

/// c + the sum of a row and a column, as f32 bits or, rounded to nearest, as f16.
u32 dot(const TensorCode& code, const RealMatrix& a, u32 row, const RealMatrix& b, u32 column, u32 first,
        u32 count, u32 c, Element c_type, bool to_half) {
  Kind c_kind = Kind::finite;
  Part start = c_type == Element::f16 ? unpacked<5, 10>(c, c_kind) : unpacked<8, 23>(c, c_kind);
  const bool negative = c_type == Element::f16 ? (c & 0x8000) != 0 : (c & 0x80000000) != 0;
  u32 result = 0;
  if ((a.special[row] || b.special[column] || c_kind != Kind::finite) &&
      special_sum(a, row, b, column, first, count, c_kind, negative, result))
    return to_half ? (result == canonical_nan ? 0x7fff : result >> 16 == 0x7f80 ? 0x7c00 : 0xfc00) : result;
  if (c_type == Element::f16) start.sig *= 1 << 13;
  const Sum sum =
      add_products(start, a.part[row] + first, b.part[column] + first, count, fraction_bits(code.a()));
  if (to_half) {
    const u32 bits = Half::narrow(std::ldexp(static_cast<double>(sum.value), sum.unit));
    return (bits & 0x7fff) == 0 ? 0 : bits;
  }
  return cut_to_single(sum.value, sum.unit);
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
u32 quarter_dot(const TensorCode& code, const RealMatrix& a, u32 row, const RealMatrix& b, u32 column,
                u32 c) {
  const bool half = code.c() == Element::f16;
  const u32 part = code.k / 2U;
  u32 sum = dot(code, a, row, b, column, 0, part, 0, code.c(), half);
  sum = dot(code, a, row, b, column, part, part, sum, code.c(), half);
  if (half) return Half::narrow(Half::widen(static_cast<u16>(sum)) + Half::widen(static_cast<u16>(c)));
  return as<u32>(as<float>(sum) + as<float>(c));
}

/// wmma of tf32 is two instructions of four columns each.
u32 steps_dot(const TensorCode& code, const RealMatrix& a, u32 row, const RealMatrix& b, u32 column, u32 c) {
  const bool half = code.d() == Element::f16, split = code.a() == Element::tf32 && code.n == 16;
  if (!split) return dot(code, a, row, b, column, 0, code.k, c, code.c(), half);
  c = dot(code, a, row, b, column, 0, 4, c, code.c(), half);
  return dot(code, a, row, b, column, 4, 4, c, code.c(), half);
}

const Op* multiply_real(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  RealMatrix a, b;
  const bool quarters = of_quarters(code.a());
  const auto place = [&](u32 k) { return !quarters ? k : (k & 2) / 2 * (code.k / 2U) + k / 4 * 2 + (k & 1); };
  for_elements(w, code, false, rows.a,
               [&](u32 row, u32 k, u32 bits) { put_real(a, code.a(), row, place(k), bits); });
  for_elements(w, code, true, rows.b,
               [&](u32 column, u32 k, u32 bits) { put_real(b, code.b(), column, place(k), bits); });
  const u32 count = sums_of(code);
  u32 results[16][32];
  for (u32 i = 0; i < count; ++i)
    for (u32 lane = 0; lane < 32; ++lane) {
      const Position at = sum_position(code, lane, i);
      const u32 c = sum_bits(w, code.c(), rows.c, lane, i);
      results[i][lane] = quarters ? quarter_dot(code, a, at.outer, b, at.inner, c)
                                  : steps_dot(code, a, at.outer, b, at.inner, c);
    }
  for (u32 i = 0; i < count; ++i)
    for (u32 lane = 0; lane < 32; ++lane) put_sum(w, code.d(), rows.d, lane, i, results[i][lane]);
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
  double a[16][16], b[8][16];
  for (const bool of_b : {false, true})
    for (u32 r = 0; r < registers_of(code, of_b); ++r)
      for (u32 lane = 0; lane < 32; ++lane) {
        const Position at = operand_position(code, of_b, lane, r, 0);
        const double value = row_of<double>(w, (of_b ? rows.b : rows.a)[r])[lane];
        (of_b ? b[at.outer] : a[at.outer])[at.inner] = value;
      }
  const u32 count = sums_of(code);
  double results[4][32];
  for (u32 i = 0; i < count; ++i)
    for (u32 lane = 0; lane < 32; ++lane) {
      const Position at = sum_position(code, lane, i);
      double sum = row_of<double>(w, rows.c[i])[lane];
      for (u32 k = 0; k < code.k; ++k) sum = fused(a[at.outer][k], b[at.inner][k], sum);
      results[i][lane] = sum;
    }
  for (u32 i = 0; i < count; ++i) std::memcpy(row_of<double>(w, rows.d[i]), results[i], sizeof(results[i]));
  return op + 1;
}

struct WholeMatrix {
  s32 at[most_outer][most_inner];
};
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
  WholeMatrix a, b;
  for_elements(w, code, false, rows.a,
               [&](u32 row, u32 k, u32 bits) { a.at[row][k] = whole(code.a(), bits); });
  for_elements(w, code, true, rows.b,
               [&](u32 column, u32 k, u32 bits) { b.at[column][k] = whole(code.b(), bits); });
  const u32 count = sums_of(code);
  const bool ones = code.a() == Element::bit, both = code.has(TensorCode::is_and);
  s32 results[16][32];
  for (u32 i = 0; i < count; ++i)
    for (u32 lane = 0; lane < 32; ++lane) {
      const Position at = sum_position(code, lane, i);
      const s32 *x = a.at[at.outer], *y = b.at[at.inner];
      s64 sum = row_of<s32>(w, rows.c[i])[lane];
      for (u32 k = 0; k < code.k; ++k) sum += ones && !both ? x[k] ^ y[k] : x[k] * y[k];
      if (code.has(TensorCode::saturates)) sum = std::min<s64>(std::max<s64>(sum, INT32_MIN), INT32_MAX);
      results[i][lane] = static_cast<s32>(sum);
    }
  for (u32 i = 0; i < count; ++i) std::memcpy(row_of<s32>(w, rows.d[i]), results[i], sizeof(results[i]));
  return op + 1;
}

/// movmatrix: eight rows of eight 16-bit elements, turned.
const Op* turn_matrix(Warp& w, const Op* op) {
  check_lanes(w, op);
  u16 from[64], to[64];
  std::memcpy(from, row(w, op->a), sizeof(from));
  for (u32 i = 0; i < 64; ++i) to[i] = from[i % 8 * 8 + i / 8];
  std::memcpy(row(w, op->d), to, sizeof(to));
  return op + 1;
}

constexpr HandlerEntry rows[] = {
    make_row(multiply_real, {}, "mma.real"), make_row(multiply_quads, {}, "mma.quads"),
    make_row(multiply_doubles, {}, "mma.f64"), make_row(multiply_whole, {}, "mma.whole"),
    make_row(turn_matrix, make_signature<u32, u32>(), "movmatrix.b16")};

}  // namespace

void add_tensor(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
