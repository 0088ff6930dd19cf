// Matrices that a group of four warps multiplies (wgmma.mma_async), from shared memory. Each warp reads when
// its turn is to issue the product: its 16 rows of a, and all of b.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/matrix_descriptor.h"
#include "traces/ptx/lanes/tensor_code.h"

namespace strata::traces::ptx {
namespace {

constexpr u32 piece = MatrixDescriptor::piece, group_warps = 4, rows_of_warp = 16;

/// Rows of a or columns of b, from `first`, each of `row_bytes` along k.
struct Operand {
  MatrixDescriptor from;
  bool transposed;
  u32 first, count, row_bytes;
  u8* to;  ///< row behind row, k ascending

  u32 pieces() const { return count * row_bytes / piece; }
  /// Piece n: eight of them are 8 rows by 16 bytes, as the machine takes them.
  u32 address(u32 n) const {
    return transposed ? from.transposed(first / 8 + group(n), inner(n))
                      : from.by_k(first + group(n), inner(n));
  }
  void keep(u32 n, const u8* memory) const {
    if (!transposed) {
      std::memcpy(to + group(n) * row_bytes + inner(n) * piece, memory, piece);
      return;
    }
    for (u32 i = 0; i < 8; ++i)  // elements of two bytes: there are no others that are transposed
      std::memcpy(to + (group(n) * 8 + i) * row_bytes + inner(n) * 2, memory + 2 * i, 2);
  }

 private:
  u32 group(u32 n) const {
    return transposed ? n / (row_bytes / 2) : n / 8 / (row_bytes / piece) * 8 + n % 8;
  }
  u32 inner(u32 n) const { return transposed ? n % (row_bytes / 2) : n / 8 % (row_bytes / piece); }
};

/// Pieces [begin, end), recorded or not.
void read_pieces(Warp& w, const Op* op, const Operand& o, u32 begin, u32 end, bool recorded) {
  for (u32 first = begin; first < end; first += 32) {
    const u32 count = std::min<u32>(32, end - first), lanes = count == 32 ? all_lanes : (1U << count) - 1;
    u64 address[32] = {};
    for (u32 i = 0; i < count; ++i) address[i] = o.address(first + i);
    const auto keep = [&](u32 i, const u8* memory) { o.keep(first + i, memory); };
    if (!recorded) {
      visit_lanes(w, op, address, lanes, piece, false, keep);
      continue;
    }
    access_lanes(w, op, address, lanes, piece, false, keep);
  }
}

MatrixDescriptor descriptor(Warp& w, const Op* op, Row row) {
  const u64* const bits = row_of<u64>(w, row);
  for (int lane = 1; lane < 32; ++lane)
    if (bits[lane] != bits[0])
      fault(w, op, lane, "another matrix descriptor than lane 0 has:", bits[lane], true);
  return MatrixDescriptor(bits[0]);
}

/// Row a: the descriptor of a, unless it is in registers; row b that of b; op->code: groups of eight columns.
/// The machine reads b once for all four warps: each records a quarter of it, and its rows of a.
const Op* read_operands(Warp& w, const Op* op) {
  if (w.mask != all_lanes) fault(w, op, -1, "all 32 lanes of a warp must execute it together");
  const u32 rank = w.index % group_warps;
  const Dim3& block = w.cta->block;
  if (u64{block.x} * block.y * block.z < u64{w.index - rank + group_warps} * 32)
    fault(w, op, -1, "a thread block of whole groups of four warps must execute it, found threads:",
          u64{block.x} * block.y * block.z, true);
  const TensorCode code = TensorCode::unpack(op->offset);
  const u32 columns = op->code * 8U, row_bytes = code.k * element_bits(code.b()) / 8;
  const u32 stored_bytes = code.has(TensorCode::sparse) ? row_bytes / 2 : row_bytes;
  std::vector<u8>& all = w.cta->group_operands;
  all.resize(rows_of_warp * stored_bytes + columns * row_bytes);
  if (op->a != no_row) {
    const Operand a{descriptor(w, op, op->a),
                    code.has(TensorCode::columns_a),
                    rank * rows_of_warp,
                    rows_of_warp,
                    stored_bytes,
                    all.data()};
    read_pieces(w, op, a, 0, a.pieces(), true);
  }
  const Operand b{descriptor(w, op, op->b),
                  code.has(TensorCode::columns_b),
                  0,
                  columns,
                  row_bytes,
                  all.data() + rows_of_warp * stored_bytes};
  if (!b.transposed && b.from.pattern() > piece && b.from.pattern() < row_bytes)
    fault(w, op, -1, "columns of b have 64 bytes, more than a swizzle of 32 bytes holds");
  const u32 quarter = b.pieces() / group_warps, mine = rank * quarter;
  read_pieces(w, op, b, 0, mine, false);
  read_pieces(w, op, b, mine, mine + quarter, true);
  read_pieces(w, op, b, mine + quarter, b.pieces(), false);
  return op + 1;
}

constexpr HandlerEntry rows[] = {make_row(read_operands, {}, "wgmma.read")};

}  // namespace

const std::uint8_t* group_operands(const Warp& w) {
  return w.cta->group_operands.data();
}

void add_group_matrices(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
