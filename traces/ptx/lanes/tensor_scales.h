#pragma once

#include <cmath>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_rows.h"

/// Scales of products of small floats.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// What rows of a and columns of b are multiplied with (`.block_scale`).
struct Scales {
  double row[16], column[8];
};

/// The scales of `.block_scale` (powers of two, 255 is NaN): rows a and b of the operation are those of a and
/// of b, `selectors` the byte and the thread that hold them. A pair of threads of four has the scales of rows
/// lane / 4 and lane / 4 + 8, one thread of four that of column lane / 4 (PTX ISA 9.1, "Block Scaling";
/// CUTLASS, cute/atom/mma_traits_sm120.hpp).
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

}  // namespace
}  // namespace strata::traces::ptx
