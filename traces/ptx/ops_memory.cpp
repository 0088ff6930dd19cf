// Loads and stores of rows of 32 lanes: compiled once per instruction set, STRATA_PTX_ISA names the
// namespace.
#include <cstring>

#include "traces/ptx/lanes.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

inline void addresses(const Warp& w, const Op* op, u64* address) {
  const auto offset = static_cast<u64>(op->offset);
  if (op->address_bytes == 8) {
    const u64* a = row_of<u64>(w, op->a);
    LANES address[i] = a[i] + offset;
  } else {
    const u32* a = row_of<u32>(w, op->a);
    LANES address[i] = static_cast<u32>(a[i] + static_cast<u32>(offset));
  }
}
/// All 32 addresses follow each other without gaps.
inline bool dense(const u64* address, u64 step) {
  u64 difference = 0;
  const u64 first = address[0];
  LANES difference |= address[i] ^ (first + step * static_cast<u64>(i));
  return difference == 0;
}

/// `M` as it stands in memory, `R` the registers' width.
template <class M, class R>
const Op* load(Warp& w, const Op* op) {
  alignas(64) u64 address[32];
  addresses(w, op, address);
  const u32 bytes = static_cast<u32>(sizeof(M)) * op->count;
  const bool mixed = op->space == Space::generic;
  if (!mixed) record_access(w, op, address, w.mask, op->space, bytes);
  const u32* rows = op->rows;
  u32 left = w.mask;
  while (left != 0) {
    alignas(64) u64 relative[32];
    std::memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, false);
    if (mixed) record_access(w, op, address, target.lanes, target.space, bytes);
    const u8* data = target.data;
    for (u32 n = 0; n < op->count; ++n) {
      const Row to = op->count == 1 ? op->d : rows[n];
      if (to == no_row) continue;
      R* d = row_of<R>(w, to);
      if (target.lanes == all_lanes && op->count == 1 && dense(relative, sizeof(M))) {
        const auto* from = reinterpret_cast<const M*>(data + relative[0]);
        LANES d[i] = static_cast<R>(from[i]);
        continue;
      }
      if (target.lanes == all_lanes && dense(relative, 0)) {
        M value;
        std::memcpy(&value, data + relative[0] + n * sizeof(M), sizeof(M));
        const R wide = static_cast<R>(value);
        LANES d[i] = wide;
        continue;
      }
      for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
        const int i = __builtin_ctz(lanes);
        M value;
        std::memcpy(&value, data + relative[i] + n * sizeof(M), sizeof(M));
        d[i] = static_cast<R>(value);
      }
    }
    left &= ~target.lanes;
  }
  return op + 1;
}

template <class M, class R>
const Op* store(Warp& w, const Op* op) {
  alignas(64) u64 address[32];
  addresses(w, op, address);
  const u32 bytes = static_cast<u32>(sizeof(M)) * op->count;
  const bool mixed = op->space == Space::generic;
  if (!mixed) record_access(w, op, address, w.mask, op->space, bytes);
  const u32* rows = op->rows;
  u32 left = w.mask;
  while (left != 0) {
    alignas(64) u64 relative[32];
    std::memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, true);
    if (mixed) record_access(w, op, address, target.lanes, target.space, bytes);
    u8* data = target.data;
    if (op->count == 1 && target.lanes == all_lanes && dense(relative, sizeof(M))) {
      const R* b = row_of<R>(w, op->b);
      auto* to = reinterpret_cast<M*>(data + relative[0]);
      LANES to[i] = static_cast<M>(b[i]);
      return op + 1;
    }
    for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
      const int i = __builtin_ctz(lanes);
      for (u32 n = 0; n < op->count; ++n) {
        const M value = static_cast<M>(row_of<R>(w, op->count == 1 ? op->b : rows[n])[i]);
        std::memcpy(data + relative[i] + n * sizeof(M), &value, sizeof(M));
      }
    }
    left &= ~target.lanes;
  }
  return op + 1;
}

const HandlerEntry entries[] = {
    {"ld.u8.h", load<u8, u16>, ""},   {"ld.u8.w", load<u8, u32>, ""},   {"ld.u8.l", load<u8, u64>, ""},
    {"ld.s8.h", load<s8, u16>, ""},   {"ld.s8.w", load<s8, u32>, ""},   {"ld.s8.l", load<s8, u64>, ""},
    {"ld.u16.h", load<u16, u16>, ""}, {"ld.u16.w", load<u16, u32>, ""}, {"ld.u16.l", load<u16, u64>, ""},
    {"ld.s16.h", load<s16, u16>, ""}, {"ld.s16.w", load<s16, u32>, ""}, {"ld.s16.l", load<s16, u64>, ""},
    {"ld.u32.w", load<u32, u32>, ""}, {"ld.u32.l", load<u32, u64>, ""}, {"ld.s32.w", load<s32, u32>, ""},
    {"ld.s32.l", load<s32, u64>, ""}, {"ld.u64.l", load<u64, u64>, ""}, {"ld.s64.l", load<u64, u64>, ""},
    {"st.8.h", store<u8, u16>, ""},   {"st.8.w", store<u8, u32>, ""},   {"st.8.l", store<u8, u64>, ""},
    {"st.16.h", store<u16, u16>, ""}, {"st.16.w", store<u16, u32>, ""}, {"st.16.l", store<u16, u64>, ""},
    {"st.32.w", store<u32, u32>, ""}, {"st.32.l", store<u32, u64>, ""}, {"st.64.l", store<u64, u64>, ""},
};

}  // namespace

HandlerTable memory_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
