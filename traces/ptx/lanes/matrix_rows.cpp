// Matrices between memory and the registers of a warp: ldmatrix, stmatrix, wmma.load, wmma.store; movmatrix.
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

namespace strata::traces::ptx {
namespace {

void check_lanes(const Warp& w, const Op* op) {
  if (w.mask != all_lanes) fault(w, op, -1, "all 32 lanes of a warp must execute it together");
}

/// ldmatrix and stmatrix: lane 8 j + i names row i of matrix j, 16 bytes; op->code: turned.
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
  u32 parts = 1;      ///< elements that lie side by side in a lane: of a register, or two sums
  u32 units = 0;      ///< groups of so many
  bool dense = true;  ///< they are side by side in memory, too
  u32 stride = 0;

  explicit Fragment(const TensorCode& c, u32 stride_given) : code(c) {
    const bool sums = code.matrix == 'c', of_b = code.matrix == 'b';
    const bool columns = code.has(TensorCode::columns_a);
    bits = element_bits(sums ? code.c() : of_b ? code.b() : code.a());
    parts = sums ? 2 : bits >= 32 ? 1 : 32 / bits;
    const u32 outer = sums || !of_b ? code.m : code.n, inner = sums ? code.n : code.k;
    units = outer * inner / 32 / parts;
    const bool along_rows = sums ? !code.turned() : !of_b;  // the parts follow each other in a row
    dense = along_rows != columns || parts == 1;
    const u32 rows = sums || !of_b ? code.m : code.k, across = sums || of_b ? code.n : code.k;
    stride = stride_given != 0 ? stride_given : columns ? rows : across;
  }
  /// Bits from the begin of the matrix.
  u64 place(u32 lane, u32 unit, u32 part) const {
    const bool sums = code.matrix == 'c', of_b = code.matrix == 'b';
    const Position at =
        sums ? sum_position(code, lane, 2 * unit + part) : operand_position(code, of_b, lane, unit, part);
    const u32 matrix_row = sums || !of_b ? at.outer : at.inner, column = sums || !of_b ? at.inner : at.outer;
    const bool columns = code.has(TensorCode::columns_a);
    return (u64{columns ? column : matrix_row} * stride + (columns ? matrix_row : column)) * bits;
  }
};

/// Where a unit lies in the registers: of all units one behind the other.
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
  for (u32 r = filled; r < op->count; ++r)  // the machine's fragments repeat themselves
    std::memcpy(row(w, op->rows[r]), row(w, op->rows[r % filled]), op->width == 8 ? 256 : 128);
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
    make_row(move_rows<false>, {}, "ldmatrix"), make_row(move_rows<true>, {}, "stmatrix"),
    make_row(move_fragment<false>, {}, "wmma.load"), make_row(move_fragment<true>, {}, "wmma.store"),
    make_row(turn_matrix, make_signature<u32, u32>(), "movmatrix.b16")};

}  // namespace

void add_matrices(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
