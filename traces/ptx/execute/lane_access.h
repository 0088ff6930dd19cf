#pragma once

#include "traces/ptx/execute/operations.h"

/// Memory accesses of lanes, for operations that are compiled once.
namespace strata::traces::ptx {

/// The address of each lane: row `a` plus op->offset, or plus `offset` where op->offset has another meaning.
inline void lane_addresses(const Warp& w, const Op* op, std::uint64_t* address, std::int64_t offset) {
  for (int i = 0; i < 32; ++i)
    address[i] = op->address_bytes == 8
                     ? row_of<std::uint64_t>(w, op->a)[i] + static_cast<std::uint64_t>(offset)
                     : static_cast<std::uint32_t>(row_of<std::uint32_t>(w, op->a)[i] +
                                                  static_cast<std::uint32_t>(offset));
}
inline void lane_addresses(const Warp& w, const Op* op, std::uint64_t* address) {
  lane_addresses(w, op, address, op->offset);
}

/// Checks and visits the bytes of each lane, without recording the access.
template <class Visit>
void visit_lanes(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                 std::uint32_t bytes, bool store, Visit visit) {
  for (std::uint32_t left = lanes; left != 0;) {
    std::uint64_t relative[32];
    __builtin_memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, store);
    for (std::uint32_t rest = target.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
      visit(lane, target.data + relative[lane]);
    }
    left &= ~target.lanes;
  }
}

/// Records, checks and visits the bytes of each lane: visit(lane, memory).
template <class Visit>
void access_lanes(Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                  std::uint32_t bytes, bool store, Visit visit) {
  const bool mixed = op->space == Space::generic;
  if (!mixed) record_access(w, op, address, lanes, op->space, bytes);
  for (std::uint32_t left = lanes; left != 0;) {
    std::uint64_t relative[32];
    __builtin_memcpy(relative, address, sizeof(relative));
    const Target target = resolve(w, op, relative, left, bytes, store);
    if (mixed) record_access(w, op, address, target.lanes, target.space, bytes);
    for (std::uint32_t rest = target.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
      visit(lane, target.data + relative[lane]);
    }
    left &= ~target.lanes;
  }
}

}  // namespace strata::traces::ptx
