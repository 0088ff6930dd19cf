#pragma once

#include "traces/ptx/lanes/handler_rows.h"

namespace strata::traces::ptx {

/// A barrier in shared memory: pending arrivals, arrivals of a phase, bytes that are still to come, phase.
struct Barrier {
  static constexpr u64 count_mask = (1U << 20) - 1, bytes_mask = (1U << 22) - 1;
  u64 bits;
  u64 pending() const { return bits & count_mask; }
  u64 expected() const { return bits >> 20 & count_mask; }
  u64 bytes() const { return bits >> 40 & bytes_mask; }
  u64 phase() const { return bits >> 63; }
  void set(u64 pending, u64 expected, u64 bytes, u64 phase) {
    if ((pending & count_mask) == 0 && (bytes & bytes_mask) == 0) {
      pending = expected;
      phase ^= 1;
    }
    bits = (pending & count_mask) | (expected & count_mask) << 20 | (bytes & bytes_mask) << 40 | phase << 63;
  }
};

}  // namespace strata::traces::ptx
