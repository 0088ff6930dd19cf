// Shuffles: compiled once for each set of instructions, whose namespace STRATA_PTX_ISA names.
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

enum class Shuffle { up, down, bfly, idx };
/// PTX ISA, "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
template <Shuffle Mode>
const Op* shuffle(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b), *c = row_of<u32>(w, op->c);
  alignas(64) s32 source[32], inside[32];
  alignas(64) u32 result[32];
  for_lanes([&](int lane) {
    const int clamp = static_cast<int>(c[lane] & 31), segment = static_cast<int>(c[lane] >> 8 & 31),
              by = static_cast<int>(b[lane] & 31);
    const int most = (lane & segment) | (clamp & ~segment);
    const int from = Mode == Shuffle::up     ? lane - by
                     : Mode == Shuffle::down ? lane + by
                     : Mode == Shuffle::bfly ? lane ^ by
                                             : (lane & segment) | (by & ~segment);
    const bool ok = Mode == Shuffle::up ? from >= most : from <= most;
    source[lane] = ok ? from : lane;
    inside[lane] = ok ? -1 : 0;
  });
  for (int lane = 0; lane < 32; ++lane) result[lane] = a[source[lane]];
  put(w, op->d, result);
  if (op->d2 != no_row) put_predicate(w, op->d2, to_bits(inside));
  return op + 1;
}

constexpr Signature shuffled = make_signature<u32, u32, u32, u32>();
constexpr HandlerEntry rows[] = {make_row(shuffle<Shuffle::up>, shuffled, "shfl.sync.up.b32"),
                                 make_row(shuffle<Shuffle::down>, shuffled, "shfl.sync.down.b32"),
                                 make_row(shuffle<Shuffle::bfly>, shuffled, "shfl.sync.bfly.b32"),
                                 make_row(shuffle<Shuffle::idx>, shuffled, "shfl.sync.idx.b32")};

}  // namespace

void add_shuffles(HandlerTable& table) {
  add(table, rows);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
