// Products of matrices in a warp's registers, dense and sparse (mma.sp: two of four elements of a are zero
// and not stored). Compiled once per instruction set, in namespace STRATA_PTX_ISA.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_real.h"
#include "traces/ptx/lanes/tensor_product.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

const Op* multiply_real(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset);
  const Operands rows(op);
  RealMatrix a, b;
  const bool quarters = of_quarters(code.a());
  const auto place = [&](u32 k) { return quarters ? place_of_quarter(k, code.k) : k; };
  take_real(w, code, false, rows.a, place, a);
  take_real(w, code, true, rows.b, place, b);
  SumMatrix sums;
  const u32 count = sums_of(code);
  for (u32 i = 0; i < count; ++i)
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      sums.at[row][column] = sum_bits(w, code.c(), rows.c, lane, i);
    });
  const bool half = quarters ? code.c() == Element::f16 : code.d() == Element::f16;
  Product p{a, b, 0, code.m, code.n, 0, code.k, fraction_bits(code.a()), code.c(), half};
  Scales scales;
  if (op->a != no_row) {
    read_scales(w, op, rows.c + count, scales);
    p.scales = &scales;
  }
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
/// The H100 has no instruction for m8n8k4: its programs use a chain of fused operations in single precision
/// and add c. Order and start from +0 are theirs.
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

/// m8n8k4: four products, each of eight lanes.
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
          for (u32 from = 0; from < 8; ++from)  // c and d may have different layouts
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

/// Integers and bits; sums wrap, or are clamped once at the end.
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
  SumMatrix sums;  // of 256 bits, or of at most 64 products of 255 * 255
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

const u32* metadata(const Warp& w, const TensorCode& code, const Operands& rows) {
  return row_of<u32>(w, rows.c[code.c() == Element::f16 ? 2 : 4]);
}

/// Floats: the dense product of the stored elements with the rows of b that belong to their columns.
const Op* multiply_sparse_real(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset), stored = stored_code(code);
  const Operands rows(op);
  StoredColumns columns;
  read_metadata(w, op, code, metadata(w, code, rows), columns);
  const bool quarters = of_quarters(code.a());
  const auto place = [&](u32 k) { return quarters ? place_of_quarter(k, stored.k) : k; };
  RealMatrix a, met;
  WideReals b;
  take_real(w, stored, false, rows.a, place, a);
  take_real(
      w, code, true, rows.b, [](u32 k) { return k; }, b);
  met.special = b.special;
  SumMatrix sums;
  const u32 count = sums_of(code);
  for (u32 i = 0; i < count; ++i)
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      sums.at[row][column] = sum_bits(w, code.c(), rows.c, lane, i);
    });
  Product p{
      a, met, 0, 0, sparse_columns, 0, stored.k, fraction_bits(code.a()), code.c(), code.d() == Element::f16};
  Scales scales;
  if (op->a != no_row) {
    read_scales(w, op, rows.c + count + 1, scales);
    p.scales = &scales;
  }
  for (; p.row < sparse_rows; ++p.row) {
    for (u32 k = 0; k < stored.k; ++k) {
      const u32 from = columns.at[p.row][k], to = place(k);
      std::memcpy(met.sig[to], b.sig[from], sizeof(b.sig[from]));
      std::memcpy(met.exponent[to], b.exponent[from], sizeof(b.exponent[from]));
    }
    p.rows = p.row + 1;
    quarters ? add_quarters(p, stored.k, sums) : add_products(p, sums);
  }
  for (u32 i = 0; i < count; ++i)
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      put_sum(w, code.d(), rows.d, lane, i, sums.at[row][column]);
    });
  return op + 1;
}

/// Integers; sums wrap, or are clamped once at the end.
const Op* multiply_sparse_whole(Warp& w, const Op* op) {
  check_lanes(w, op);
  const TensorCode code = TensorCode::unpack(op->offset), stored = stored_code(code);
  const Operands rows(op);
  StoredColumns columns;
  read_metadata(w, op, code, metadata(w, code, rows), columns);
  s32 a[sparse_rows][most_stored], b[2 * most_stored][sparse_columns];
  for_elements(w, stored, false, rows.a, [&](u32 row, u32 k, u32 distance, const u32* bits) {
    for (u32 i = 0; i < 8; ++i) a[row + i / 4][k + i % 4 * distance] = whole(code.a(), bits[i]);
  });
  for_elements(w, code, true, rows.b, [&](u32 column, u32 k, u32 distance, const u32* bits) {
    for (u32 i = 0; i < 8; ++i) b[k + i % 4 * distance][column + i / 4] = whole(code.b(), bits[i]);
  });
  s32 sums[sparse_rows][sparse_columns];  // of at most 64 products of 255 * 255
  for (u32 row = 0; row < sparse_rows; ++row) {
    Eight sum = {};
    for (u32 k = 0; k < stored.k; ++k) sum += a[row][k] * eight_of(b[columns.at[row][k]]);
    std::memcpy(sums[row], &sum, sizeof(sum));
  }
  for (u32 i = 0; i < sums_of(code); ++i) {
    const s32* const from = row_of<s32>(w, rows.c[i]);
    s32* const to = row_of<s32>(w, rows.d[i]);
    for_sums(code, i, [&](u32 lane, u32 row, u32 column) {
      s64 sum = s64{from[lane]} + sums[row][column];
      if (code.has(TensorCode::saturates)) sum = std::min<s64>(std::max<s64>(sum, INT32_MIN), INT32_MAX);
      to[lane] = static_cast<s32>(sum);
    });
  }
  return op + 1;
}

constexpr HandlerEntry handlers[] = {
    make_row(multiply_real, {}, "mma.real"),           make_row(multiply_quads, {}, "mma.quads"),
    make_row(multiply_doubles, {}, "mma.f64"),         make_row(multiply_whole, {}, "mma.whole"),
    make_row(multiply_sparse_real, {}, "mma.sp.real"), make_row(multiply_sparse_whole, {}, "mma.sp.whole")};

}  // namespace

void add_tensor(HandlerTable& table) {
  add(table, handlers);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
