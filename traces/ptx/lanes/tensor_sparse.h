#pragma once

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/tensor_lanes.h"

/// Which columns the stored elements of a sparse matrix stand in, as its metadata say.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

constexpr u32 sparse_rows = 16, sparse_columns = 8, most_stored = 64;

/// Which column of a each stored element of a row stands in.
struct StoredColumns {
  u32 at[sparse_rows][most_stored];
};

/// Columns of a chunk that one index of four bits describes.
inline u32 chunk_width(Element type) {
  const u32 bits = element_bits(type);
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

/// The four bits of chunk `chunk` of `row`. A lane of 16 bits and more holds four chunks of its row and of
/// that 8 below; else eight chunks of one row, and its neighbour those of the row 8 below. `selector` counts
/// groups of lanes that hold all (PTX ISA, "Matrix fragments for sparse mma"; figures of the metadata).
inline u32 metadata_of(const TensorCode& code, const u32* words, u32 row, u32 chunk, u32& lane) {
  const bool wide = element_bits(code.a()) >= 16;
  const u32 each = wide ? 4 : 8, chunks = code.k / chunk_width(code.a());
  const u32 lanes = wide ? chunks / 4 : chunks / 8 * 2, selector = code.matrix;
  lane = row % 8 * 4 + selector * lanes + (wide ? chunk / each : chunk / each * 2 + row / 8);
  return words[lane] >> ((wide ? row / 8 * 16 : 0) + chunk % each * 4) & 15;
}

/// Two of four in order; of tf32, of which an element is two halves, the first or the last two.
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
        complain(w, op, static_cast<int>(lane), "no places of two elements of four in the metadata:", bits);
      u32* const at = &columns.at[row][chunk * stored];
      for (u32 i = 0; i < stored; ++i) {
        const u32 place = stored == 1 ? bits >> 1 & 1 : bits >> i * 2 / stored * 2 & 3;
        at[i] = chunk * width + (stored == 4 ? place * 2 + i % 2 : place);
      }
    }
}

/// Operand a as it is stored: that of a product of half as many columns.
inline TensorCode stored_code(TensorCode code) {
  code.k = static_cast<std::uint16_t>(code.k / 2);
  return code;
}
/// Operand b, all of it.
struct WideReals {
  s32 sig[most_stored][sparse_columns];
  s32 exponent[most_stored][sparse_columns];
  bool special = false;
};

}  // namespace
}  // namespace strata::traces::ptx
