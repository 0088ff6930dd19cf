// Loads and stores of rows of 32 lanes. Compiled once per instruction set, in namespace STRATA_PTX_ISA.
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
/// True if the values of all lanes have one stride; checked with sums that cover all lanes.
template <class T>
inline bool is_row(const T* values, T stride) {
  typedef T Some __attribute__((vector_size(32)));
  constexpr int count = 32 / sizeof(T);
  Some next, difference = {};
  for (int i = 0; i < count; ++i) next[i] = values[0] + stride * static_cast<T>(i);
  for (int i = 0; i < 32; i += count) {
    Some found;
    std::memcpy(&found, values + i, sizeof found);
    difference |= found ^ next;
    next += stride * static_cast<T>(count);
  }
  T any = 0;
  for (int i = 0; i < count; ++i) any |= difference[i];
  return any == 0;
}
/// Finds the row with lane i at `first + i * stride`, for full warps. Strides have 32 bits, as records hold
/// them.
[[gnu::always_inline]] inline bool find_row(const Warp& w, const Op* op, u64& first, s64& stride) {
  if (w.mask != all_lanes) return false;
  if (op->address_bytes == 8) {
    const u64* a = row_of<u64>(w, op->a);
    stride = static_cast<s64>(a[1] - a[0]);
    first = a[0] + static_cast<u64>(op->offset);
    return stride == static_cast<s32>(stride) && is_row(a, static_cast<u64>(stride));
  }
  const u32* a = row_of<u32>(w, op->a);
  stride = static_cast<s32>(a[1] - a[0]);
  first = static_cast<u32>(a[0] + static_cast<u32>(op->offset));
  return (static_cast<s64>(first) + 31 * stride) >> 32 == 0 && is_row(a, static_cast<u32>(stride));
}

/// Places of the lanes in their checked range; false if lanes must be checked one by one.
inline bool in_checked_range(const Warp& w, const CheckedRange& checked, const u64* address, u64* relative,
                             u32 bytes) {
  if (checked.data == nullptr) return false;
  u64 low = 0, outside = 0;
  const s32* m = w.lane_mask;
  for_lanes([&](int i) {
    const u64 active = static_cast<u64>(static_cast<s64>(m[i])), at = address[i] - checked.start;
    relative[i] = at;
    low |= address[i] & active;
    outside |= (at | (checked.last - at)) & active;
  });
  return (low & (bytes - 1)) == 0 && outside >> 63 == 0;
}

/// Records a row in its checked range.
inline void note_row(Warp& w, const Op* op, const CheckedRange& checked, u64 first, s64 stride, u32 bytes) {
  if (!checked.counted) return;
  if (w.record) {
    if (!w.record_rows || w.out == w.out_end) return record_row(w, op, first, stride, checked.space, bytes);
    PathCell* const cell = w.out++;
    cell->value = first - checked.window;
    cell->extra = static_cast<u32>(stride);
    cell->tag = checked.tag;
  }
  ++w.recorded;
  w.recorded_threads += 32;
}

constexpr u64 steps_ahead = 3;  ///< iterations of a loop ahead of which memory is prefetched

/// Calls row(first, stride) if all 32 lanes form a row, else lanes(target, relative) for the lanes of each
/// target; `relative` are their addresses in its data. `M` is the type of an element in memory.
template <class M, class MoveRow, class MoveLanes>
[[gnu::always_inline]] inline const Op* for_targets(Warp& w, const Op* op, bool write, MoveRow row,
                                                    MoveLanes lanes) {
  const u32 bytes = static_cast<u32>(sizeof(M)) * op->count;
  CheckedRange& checked = w.checked_ranges[op->number];
  u64 first = 0;
  s64 stride = 0;
  Form form = w.mask == all_lanes ? Form::other : Form::unknown;
  if (find_row(w, op, first, stride)) {
    const u64 at = first - checked.start, end = at + static_cast<u64>(31 * stride);
    if (checked.data != nullptr && at <= checked.last && end <= checked.last &&
        ((first | static_cast<u64>(stride)) & (bytes - 1)) == 0) {
      note_row(w, op, checked, first, stride, bytes);
      // The host's prefetchers do not predict steps longer than a page.
      const auto* const next = reinterpret_cast<const u8*>(reinterpret_cast<std::uintptr_t>(checked.data) +
                                                           at + steps_ahead * (at - checked.before));
      __builtin_prefetch(next);
      __builtin_prefetch(next + 64);
      checked.before = at;
      row(checked.data + at, stride);
      return op + 1;
    }
    Target target;
    u64 relative = 0;
    s64 diverged = stride;
    if (resolve_row(w, op, first, diverged, bytes, write, target, relative)) {
      record_row(w, op, first, stride, target.space, bytes);
      row(target.data + relative, diverged);
      return op + 1;
    }
    form = Form::unknown;
  }
  alignas(64) u64 address[32], relative[32];
  addresses(w, op, address);
  if (in_checked_range(w, checked, address, relative, bytes)) {
    record_access(w, op, address, w.mask, checked.space, bytes, form);
    lanes(Target{checked.data, w.mask, checked.space}, relative);
    return op + 1;
  }
  const bool mixed = op->space == Space::generic;
  if (!mixed) record_access(w, op, address, w.mask, op->space, bytes, form);
  for (u32 left = w.mask; left != 0;) {
    std::memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, write);
    if (mixed) record_access(w, op, address, target.lanes, target.space, bytes, form);
    lanes(target, relative);
    left &= ~target.lanes;
  }
  return op + 1;
}

template <class M>
inline M value_at(const u8* from) {
  M value;
  std::memcpy(&value, from, sizeof(M));
  return value;
}

/// `R`: type of the register.
template <class M, class R>
const Op* load(Warp& w, const Op* op) {
  const auto row = [&](const u8* data, s64 stride) {
    for (u32 n = 0; n < op->count; ++n, data += sizeof(M)) {
      const Row to = op->count == 1 ? op->d : op->rows[n];
      if (to == no_row) continue;
      R* d = row_of<R>(w, to);
      if (stride == sizeof(M)) {
        const auto* from = reinterpret_cast<const M*>(data);
        for_lanes([&](int i) { d[i] = static_cast<R>(from[i]); });
      } else if (stride == 0) {
        const R wide = static_cast<R>(value_at<M>(data));
        for_lanes([&](int i) { d[i] = wide; });
      } else {
        for (int i = 0; i < 32; ++i) d[i] = static_cast<R>(value_at<M>(data + i * stride));
      }
    }
  };
  return for_targets<M>(w, op, false, row, [&](const Target& target, const u64* relative) {
    const u8* data = target.data;
    for (u32 n = 0; n < op->count; ++n, data += sizeof(M)) {
      const Row to = op->count == 1 ? op->d : op->rows[n];
      if (to == no_row) continue;
      R* d = row_of<R>(w, to);
      if (target.lanes == all_lanes) {
        for (int i = 0; i < 32; ++i) d[i] = static_cast<R>(value_at<M>(data + relative[i]));
        continue;
      }
      for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
        const int i = __builtin_ctz(lanes);
        d[i] = static_cast<R>(value_at<M>(data + relative[i]));
      }
    }
  });
}

template <class M, class R>
const Op* store(Warp& w, const Op* op) {
  const auto put_lane = [&](u8* to, int i) {
    for (u32 n = 0; n < op->count; ++n, to += sizeof(M)) {
      const M value = static_cast<M>(row_of<R>(w, op->count == 1 ? op->b : op->rows[n])[i]);
      std::memcpy(to, &value, sizeof(M));
    }
  };
  const auto row = [&](u8* data, s64 stride) {
    if (op->count == 1) {
      const R* b = row_of<R>(w, op->b);
      if (stride == sizeof(M)) {
        auto* to = reinterpret_cast<M*>(data);
        for_lanes([&](int i) { to[i] = static_cast<M>(b[i]); });
        return;
      }
      for (int i = 0; i < 32; ++i, data += stride) {
        const M value = static_cast<M>(b[i]);
        std::memcpy(data, &value, sizeof(M));
      }
      return;
    }
    for (int i = 0; i < 32; ++i, data += stride) put_lane(data, i);
  };
  return for_targets<M>(w, op, true, row, [&](const Target& target, const u64* relative) {
    for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
      const int i = __builtin_ctz(lanes);
      put_lane(target.data + relative[i], i);
    }
  });
}

// Registers are as wide as the elements in memory, or wider.
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
