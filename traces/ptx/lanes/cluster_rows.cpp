// Addresses of shared memory in the thread blocks of a cluster.
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

constexpr u64 offset_mask = (u64{1} << cluster_shift) - 1;

/// mapa: where the bytes at an address of this thread block's shared memory are in the one of rank b.
template <class T>
const Op* map_address(Warp& w, const Op* op) {
  T result[32] = {};
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const T at = row_of<T>(w, op->a)[i];
    const u32 rank = row_of<u32>(w, op->b)[i];
    const u64 window = op->space == Space::generic ? shared_window : 0;
    if (op->space == Space::generic && static_cast<u64>(at) - shared_window >= window_bytes)
      fault(w, op, i, "expected an address of shared memory, found", at, true);
    if (rank >= w.cta->mates.size())
      fault(w, op, i, "no thread block of the cluster has the rank", rank, true);
    result[i] = static_cast<T>(window + ((static_cast<u64>(at) - window) & offset_mask) +
                               (static_cast<u64>(rank + 1) << cluster_shift));
  }
  put(w, op->d, result);
  return op + 1;
}
/// getctarank: of the thread block that an address lies in.
template <class T>
const Op* rank_of_address(Warp& w, const Op* op) {
  u32 result[32] = {};
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const u64 at = row_of<T>(w, op->a)[i] - (op->space == Space::generic ? shared_window : 0);
    const u64 code = at >> cluster_shift;
    result[i] = code == 0 ? w.cta->rank : static_cast<u32>(code - 1);
  }
  put(w, op->d, result);
  return op + 1;
}
/// isspacep.shared::cta: of generic addresses, those in this thread block's shared memory.
const Op* is_own(Warp& w, const Op* op) {
  const u64* a = row_of<u64>(w, op->a);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) {
    const u64 at = a[i] - shared_window, code = at >> cluster_shift;
    yes |= static_cast<u32>(at < window_bytes && (code == 0 || code == w.cta->rank + 1)) << i;
  }
  put_predicate(w, op->d, yes);
  return op + 1;
}

constexpr HandlerEntry rows[] = {make_row(map_address<u32>, make_signature<u32, u32, u32>(), "mapa.u32"),
                                 make_row(map_address<u64>, make_signature<u64, u64, u32>(), "mapa.u64"),
                                 make_row(rank_of_address<u32>, make_signature<u32, u32>(), "getctarank.u32"),
                                 make_row(rank_of_address<u64>, make_signature<u32, u64>(), "getctarank.u64"),
                                 make_row(is_own, make_signature<bool, u64>(), "isspacep.shared::cta")};

}  // namespace

void add_clusters(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
