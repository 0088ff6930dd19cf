// Matrices between memory and registers: ldmatrix, stmatrix, wmma.load, wmma.store, movmatrix; and operands
// of wgmma.mma_async from shared memory, of which each warp reads its 16 rows of a and all of b when it
// issues the product.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

namespace strata::traces::ptx {
namespace {

/// Matrices in shared memory as descriptors of wgmma describe them: PTX ISA 9.1, "Shared Memory Matrix
/// Layout" and "Matrix Descriptor Format"; CUTLASS has the same canonical layouts
/// (cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc). The unit is a piece of 16 bytes. `along` counts
/// pieces in the contiguous direction: along k or, if transposed, along the rows of a or the columns of b.
class MatrixDescriptor {
 public:
  static constexpr std::uint32_t piece = 16;  ///< bytes

  explicit MatrixDescriptor(std::uint64_t bits)
      : start_(field(bits)),
        leading_(field(bits >> 16)),
        stride_(field(bits >> 32)),
        base_(static_cast<std::uint32_t>(bits >> 49) & 7) {
    constexpr std::uint32_t widths[] = {1, 8, 4, 2};
    width_ = widths[bits >> 62];
  }

  /// Bytes after which the swizzle pattern repeats; 16: no swizzle.
  std::uint32_t pattern() const { return width_ * piece; }

  /// Offset of row (of b: column) `outer` and piece `along`.
  std::uint32_t by_k(std::uint32_t outer, std::uint32_t along) const {
    const std::uint32_t row = outer % 8 * pattern() + outer / 8 * stride_;
    return swizzled(row + along * (width_ == 1 ? leading_ : piece));
  }
  /// Offset in a transposed matrix: piece `along` of the rows (of b: columns), at `k`.
  std::uint32_t transposed(std::uint32_t along, std::uint32_t k) const {
    if (width_ == 1) return swizzled(along * stride_ + k % 8 * piece + k / 8 * leading_);
    return swizzled(along % width_ * piece + along / width_ * leading_ + k % 8 * pattern() + k / 8 * stride_);
  }

 private:
  static constexpr std::uint32_t most = 0x3ffff;  ///< addresses have 18 bits
  static std::uint32_t field(std::uint64_t bits) { return static_cast<std::uint32_t>(bits & 0x3fff) * piece; }
  /// Swizzle: number of the piece in 128, 64 or 32 bytes, xor the 128-byte line in the pattern. `base_` is
  /// the first line.
  std::uint32_t swizzled(std::uint32_t offset) const {
    const std::uint32_t at = (start_ + offset) & most;
    return at ^ (((at >> 7) - base_) & (width_ - 1)) * piece;
  }

  std::uint32_t start_, leading_, stride_, base_;  ///< bytes; lines of 128 bytes
  std::uint32_t width_ = 1;                        ///< pieces per swizzled group
};

void check_lanes(const Warp& w, const Op* op) {
  if (w.mask != all_lanes) fault(w, op, -1, "all 32 lanes of a warp must execute it together");
}

/// ldmatrix and stmatrix: lane 8 j + i has the address of row i of matrix j, 16 bytes; op->code: transposed.
template <bool Store>
const Op* move_rows(Warp& w, const Op* op) {
  check_lanes(w, op);
  constexpr u32 row_bytes = 16;
  const u32 count = op->count;
  u64 address[32];
  lane_addresses(w, op, address);
  const u32 lanes = count == 4 ? all_lanes : (1U << 8 * count) - 1;
  u16 data[32][8] = {};
  const auto element = [&](u32 matrix, u32 lane, u32 part) -> u16& {
    const u32 along = lane % 4 * 2 + part;
    return op->code != 0 ? data[matrix * 8 + along][lane / 4] : data[matrix * 8 + lane / 4][along];
  };
  const auto registers = [&](auto move) {
    for (u32 matrix = 0; matrix < count; ++matrix)
      for (u32 lane = 0; lane < 32; ++lane)
        for (u32 part = 0; part < 2; ++part)
          move(row_of<u16>(w, op->rows[matrix])[2 * lane + part], element(matrix, lane, part));
  };
  if (Store) registers([](const u16& reg, u16& memory) { memory = reg; });
  access_lanes(w, op, address, lanes, row_bytes, Store, [&](u32 lane, u8* memory) {
    if (Store)
      std::memcpy(memory, data[lane], row_bytes);
    else
      std::memcpy(data[lane], memory, row_bytes);
  });
  if (!Store) registers([](u16& reg, const u16& memory) { reg = memory; });
  return op + 1;
}

struct Fragment {
  TensorCode code;
  u32 bits = 0;       ///< of an element
  u32 parts = 1;      ///< adjacent elements in a lane: of a register, or two sums
  u32 units = 0;      ///< number of such groups
  bool dense = true;  ///< they are adjacent in memory, too
  u32 stride = 0;

  explicit Fragment(const TensorCode& c, u32 stride_given) : code(c) {
    const bool sums = code.matrix == 'c', of_b = code.matrix == 'b';
    const bool columns = code.has(TensorCode::columns_a);
    bits = element_bits(sums ? code.c() : of_b ? code.b() : code.a());
    parts = sums ? 2 : bits >= 32 ? 1 : 32 / bits;
    const u32 outer = sums || !of_b ? code.m : code.n, inner = sums ? code.n : code.k;
    units = outer * inner / 32 / parts;
    const bool along_rows = sums ? !code.turned() : !of_b;  // the parts are adjacent in a row
    dense = along_rows != columns || parts == 1;
    const u32 rows = sums || !of_b ? code.m : code.k, across = sums || of_b ? code.n : code.k;
    stride = stride_given != 0 ? stride_given : columns ? rows : across;
  }
  /// Bit offset from the begin of the matrix.
  u64 place(u32 lane, u32 unit, u32 part) const {
    const bool sums = code.matrix == 'c', of_b = code.matrix == 'b';
    const Position at =
        sums ? sum_position(code, lane, 2 * unit + part) : operand_position(code, of_b, lane, unit, part);
    const u32 matrix_row = sums || !of_b ? at.outer : at.inner, column = sums || !of_b ? at.inner : at.outer;
    const bool columns = code.has(TensorCode::columns_a);
    return (u64{columns ? column : matrix_row} * stride + (columns ? matrix_row : column)) * bits;
  }
};

/// Copies a unit to or from the registers, which hold the units in order.
void copy_registers(const Warp& w, const Op* op, u32 lane, u32 first_bit, void* data, u32 bytes,
                    bool to_registers) {
  auto* at = static_cast<u8*>(data);
  const u32 word = op->width == 8 ? 8 : 4;
  for (u32 byte = 0; byte < bytes; ++byte) {
    const u32 position = first_bit / 8 + byte, reg = position / word;
    u8& there = row(w, op->rows[reg])[lane * word + position % word];
    (to_registers ? there : at[byte]) = to_registers ? at[byte] : there;
  }
}

template <bool Store>
const Op* move_fragment(Warp& w, const Op* op) {
  check_lanes(w, op);
  const Fragment f(TensorCode::unpack(op->offset), op->b == no_row ? 0 : *row_of<u32>(w, op->b));
  u64 base[32], address[32];
  lane_addresses(w, op, base, 0);
  const u32 accesses = f.dense ? 1 : f.parts, bytes = f.dense ? f.bits * f.parts / 8 : f.bits / 8;
  for (u32 unit = 0; unit < f.units; ++unit)
    for (u32 part = 0; part < accesses; ++part) {
      for (u32 lane = 0; lane < 32; ++lane) address[lane] = base[lane] + f.place(lane, unit, part) / 8;
      const u32 first_bit = (unit * f.parts + part) * f.bits;
      access_lanes(w, op, address, all_lanes, bytes, Store, [&](u32 lane, u8* memory) {
        copy_registers(w, op, lane, first_bit, memory, bytes, !Store);
      });
    }
  if (Store) return op + 1;
  const u32 filled = f.units * f.parts * f.bits / (op->width == 8 ? 64 : 32);
  for (u32 r = filled; r < op->count; ++r)  // fragments of the machine repeat
    std::memcpy(row(w, op->rows[r]), row(w, op->rows[r % filled]), op->width == 8 ? 256 : 128);
  return op + 1;
}

/// movmatrix: transposes eight rows of eight 16-bit elements.
const Op* turn_matrix(Warp& w, const Op* op) {
  check_lanes(w, op);
  u16 from[64], to[64];
  std::memcpy(from, row(w, op->a), sizeof(from));
  for (u32 i = 0; i < 64; ++i) to[i] = from[i % 8 * 8 + i / 8];
  std::memcpy(row(w, op->d), to, sizeof(to));
  return op + 1;
}

constexpr u32 piece = MatrixDescriptor::piece, group_warps = 4, rows_of_warp = 16;

/// Rows of a or columns of b from `first` on, each of `row_bytes` along k.
struct Operand {
  MatrixDescriptor from;
  bool transposed;
  u32 first, count, row_bytes;
  u8* to;  ///< row after row, k ascending

  u32 pieces() const { return count * row_bytes / piece; }
  /// Address of piece n: eight pieces are 8 rows by 16 bytes, as the machine reads them.
  u32 address(u32 n) const {
    return transposed ? from.transposed(first / 8 + group(n), inner(n))
                      : from.by_k(first + group(n), inner(n));
  }
  void keep(u32 n, const u8* memory) const {
    if (!transposed) {
      std::memcpy(to + group(n) * row_bytes + inner(n) * piece, memory, piece);
      return;
    }
    for (u32 i = 0; i < 8; ++i)  // only 2-byte elements can be transposed
      std::memcpy(to + (group(n) * 8 + i) * row_bytes + inner(n) * 2, memory + 2 * i, 2);
  }

 private:
  u32 group(u32 n) const {
    return transposed ? n / (row_bytes / 2) : n / 8 / (row_bytes / piece) * 8 + n % 8;
  }
  u32 inner(u32 n) const { return transposed ? n % (row_bytes / 2) : n / 8 % (row_bytes / piece); }
};

/// Reads pieces [begin, end), recorded or not.
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

/// Row a: descriptor of a, unless a is in registers; row b: descriptor of b; op->code: groups of eight
/// columns. The machine reads b once for all four warps: each warp records a quarter of it, and its own rows
/// of a.
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

constexpr HandlerEntry handlers[] = {make_row(move_rows<false>, {}, "ldmatrix"),
                                     make_row(move_rows<true>, {}, "stmatrix"),
                                     make_row(move_fragment<false>, {}, "wmma.load"),
                                     make_row(move_fragment<true>, {}, "wmma.store"),
                                     make_row(turn_matrix, make_signature<u32, u32>(), "movmatrix.b16"),
                                     make_row(read_operands, {}, "wgmma.read")};

}  // namespace

const std::uint8_t* group_operands(const Warp& w) {
  return w.cta->group_operands.data();
}

void add_matrices(HandlerTable& table) {
  add(table, handlers);
}

}  // namespace strata::traces::ptx
