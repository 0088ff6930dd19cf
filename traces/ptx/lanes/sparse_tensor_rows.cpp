// Products of matrices of which the first has two zeros among four elements and is stored without them
// (mma.sp): compiled once for each set of instructions, whose namespace STRATA_PTX_ISA names.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/tensor_product.h"
#include "traces/ptx/lanes/tensor_sparse.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

const u32* metadata(const Warp& w, const TensorCode& code, const Operands& rows) {
  return row_of<u32>(w, rows.c[code.c() == Element::f16 ? 2 : 4]);
}

/// Floats: what the dense product of the stored elements gives, with the rows of b that each row of a meets.
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

/// Whole numbers; sums wrap, or are clamped once at the end.
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
  s32 sums[sparse_rows][sparse_columns];  // of 64 products of 255 * 255 at most
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

constexpr HandlerEntry rows[] = {make_row(multiply_sparse_real, {}, "mma.sp.real"),
                                 make_row(multiply_sparse_whole, {}, "mma.sp.whole")};

}  // namespace

void add_sparse_tensor(HandlerTable& table) {
  add(table, rows);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
