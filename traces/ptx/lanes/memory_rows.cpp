// Loads and stores of rows of 32 lanes: compiled once for each set of instructions, whose namespace
// STRATA_PTX_ISA names.
#include <cstring>

#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

inline void addresses(const Warp& w, const Op* op, u64* address) {
  const auto offset = static_cast<u64>(op->offset);
  if (op->address_bytes == 8) {
    const u64* a = row_of<u64>(w, op->a);
    for_lanes([&](int i) { address[i] = a[i] + offset; });
  } else {
    const u32* a = row_of<u32>(w, op->a);
    for_lanes([&](int i) { address[i] = static_cast<u32>(a[i] + static_cast<u32>(offset)); });
  }
}
/// All 32 addresses follow each other without gaps.
inline bool dense(const u64* address, u64 step) {
  u64 difference = 0;
  const u64 first = address[0];
  for_lanes([&](int i) { difference |= address[i] ^ (first + step * static_cast<u64>(i)); });
  return difference == 0;
}

/// They are a stride apart: four sums that grow by four strides meet all of them.
inline Form form_of(const u64* address) {
  typedef u64 Four __attribute__((vector_size(32)));
  const u64 stride = address[1] - address[0];
  Four next = {address[0], address[0] + stride, address[0] + 2 * stride, address[0] + 3 * stride},
       difference = {};
  const Four step = {4 * stride, 4 * stride, 4 * stride, 4 * stride};
  for (int i = 0; i < 32; i += 4) {
    Four found;
    std::memcpy(&found, address + i, sizeof found);
    difference |= found ^ next;
    next += step;
  }
  return (difference[0] | difference[1] | difference[2] | difference[3]) == 0 ? Form::strided : Form::other;
}

/// Calls move(target, relative) for the lanes of each target; `relative` are their addresses in its data. `M`
/// is an element as it stands in memory.
template <class M, class Move>
[[gnu::always_inline]] inline const Op* for_targets(Warp& w, const Op* op, bool write, Move move) {
  alignas(64) u64 address[32];
  addresses(w, op, address);
  const u32 bytes = static_cast<u32>(sizeof(M)) * op->count;
  const bool mixed = op->space == Space::generic;
  const Form form = w.record && w.mask == all_lanes ? form_of(address) : Form::unknown;
  if (!mixed) record_access(w, op, address, w.mask, op->space, bytes, form);
  for (u32 left = w.mask; left != 0;) {
    alignas(64) u64 relative[32];
    std::memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, write);
    if (mixed) record_access(w, op, address, target.lanes, target.space, bytes, form);
    move(target, relative);
    left &= ~target.lanes;
  }
  return op + 1;
}

/// `R`: the registers' width.
template <class M, class R>
const Op* load(Warp& w, const Op* op) {
  return for_targets<M>(w, op, false, [&](const Target& target, const u64* relative) {
    const u8* data = target.data;
    for (u32 n = 0; n < op->count; ++n) {
      const Row to = op->count == 1 ? op->d : op->rows[n];
      if (to == no_row) continue;
      R* d = row_of<R>(w, to);
      if (target.lanes == all_lanes && op->count == 1 && dense(relative, sizeof(M))) {
        const auto* from = reinterpret_cast<const M*>(data + relative[0]);
        for_lanes([&](int i) { d[i] = static_cast<R>(from[i]); });
        continue;
      }
      if (target.lanes == all_lanes && dense(relative, 0)) {
        M value;
        std::memcpy(&value, data + relative[0] + n * sizeof(M), sizeof(M));
        const R wide = static_cast<R>(value);
        for_lanes([&](int i) { d[i] = wide; });
        continue;
      }
      for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
        const int i = __builtin_ctz(lanes);
        M value;
        std::memcpy(&value, data + relative[i] + n * sizeof(M), sizeof(M));
        d[i] = static_cast<R>(value);
      }
    }
  });
}

template <class M, class R>
const Op* store(Warp& w, const Op* op) {
  return for_targets<M>(w, op, true, [&](const Target& target, const u64* relative) {
    u8* data = target.data;
    if (op->count == 1 && target.lanes == all_lanes && dense(relative, sizeof(M))) {
      const R* b = row_of<R>(w, op->b);
      auto* to = reinterpret_cast<M*>(data + relative[0]);
      for_lanes([&](int i) { to[i] = static_cast<M>(b[i]); });
      return;
    }
    for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
      const int i = __builtin_ctz(lanes);
      for (u32 n = 0; n < op->count; ++n) {
        const M value = static_cast<M>(row_of<R>(w, op->count == 1 ? op->b : op->rows[n])[i]);
        std::memcpy(data + relative[i] + n * sizeof(M), &value, sizeof(M));
      }
    }
  });
}

// Rows of registers as wide as what lies in memory, or wider.
template <class M, class R>
constexpr HandlerEntry load_row = make_row(load<M, R>, {}, "ld.", type_name<M>, ".", row_letter<R>);
template <class M, class R>
constexpr HandlerEntry store_row = make_row(store<M, R>, {}, "st.", type_bits<M>, ".", row_letter<R>);
constexpr HandlerEntry rows[] = {
    load_row<u8, u16>,   load_row<u8, u32>,   load_row<u8, u64>,   load_row<s8, u16>,   load_row<s8, u32>,
    load_row<s8, u64>,   load_row<u16, u16>,  load_row<u16, u32>,  load_row<u16, u64>,  load_row<s16, u16>,
    load_row<s16, u32>,  load_row<s16, u64>,  load_row<u32, u32>,  load_row<u32, u64>,  load_row<s32, u32>,
    load_row<s32, u64>,  load_row<u64, u64>,  load_row<s64, u64>,  store_row<u8, u16>,  store_row<u8, u32>,
    store_row<u8, u64>,  store_row<u16, u16>, store_row<u16, u32>, store_row<u16, u64>, store_row<u32, u32>,
    store_row<u32, u64>, store_row<u64, u64>};

}  // namespace

void add_memory(HandlerTable& table) {
  add(table, rows);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
