// Copies that do not wait, and the barriers in shared memory that count them: cp.async, mbarrier.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/path.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/mbarrier.h"

namespace strata::traces::ptx {
namespace {

/// The first half of cp.async: up to op->width bytes of each lane, from global memory into registers. Row c
/// says how many there are (the rest is 0), predicate d2 that there are none.
const Op* copy_load(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  u32 bytes[32];
  u32 lanes = 0, partly = 0;
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const auto i = static_cast<u32>(__builtin_ctz(left));
    const bool ignored = op->d2 != no_row && (*row_of<u32>(w, op->d2) >> i & 1) != 0;
    bytes[i] = ignored ? 0 : op->c == no_row ? op->width : std::min<u32>(row_of<u32>(w, op->c)[i], op->width);
    lanes |= static_cast<u32>(bytes[i] != 0) << i;
    partly |= static_cast<u32>(bytes[i] != op->width) << i;
    for (u32 n = 0; n < op->count; ++n)
      if (bytes[i] != op->width) row_of<u32>(w, op->rows[n])[i] = 0;
  }
  if (lanes == 0) return op + 1;
  const auto visit = [&](u32 lane, const u8* memory) {
    for (u32 n = 0; n < op->count && n * 4 < bytes[lane]; ++n)
      std::memcpy(&row_of<u32>(w, op->rows[n])[lane], memory + 4 * n, std::min<u32>(4, bytes[lane] - 4 * n));
  };
  if ((lanes & ~partly) != 0) access_lanes(w, op, address, lanes & ~partly, op->width, false, visit);
  for (u32 left = lanes & partly; left != 0; left &= left - 1) {  // each to its own end
    const int i = __builtin_ctz(left);
    u32 size = 4;
    while (size * 2 <= bytes[i]) size *= 2;
    access_lanes(w, op, address, 1U << i, bytes[i] == size ? size : 1, false, visit);
  }
  return op + 1;
}

// --- mbarrier ---
/// Lane after lane; update(lane, barrier).
template <class Update>
void at_barriers(Warp& w, const Op* op, const u64* address, bool store, Update update) {
  visit_lanes(w, op, address, w.mask, 8, store, [&](u32 lane, u8* memory) {
    Barrier b;
    std::memcpy(&b.bits, memory, 8);
    update(lane, b);
    if (store) std::memcpy(memory, &b.bits, 8);
  });
}
u64 of_lane(const Warp& w, Row from, u32 lane, u64 without) {
  return from == no_row ? without : row_of<u32>(w, from)[lane];
}
u32 first_lane(const Warp& w) {
  return static_cast<u32>(__builtin_ctz(w.mask));
}
constexpr u64 unit_bytes = 16;  ///< of operands that are bytes
constexpr u64 no_arrival = 1U << 15;

const Op* barrier_init(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  record_sync(w, op, address, w.mask, 8, of_lane(w, op->b, first_lane(w), 1));
  at_barriers(w, op, address, true, [&](u32 lane, Barrier& b) {
    const u64 count = of_lane(w, op->b, lane, 1);
    if (count == 0 || count > Barrier::count_mask)
      fault(w, op, static_cast<int>(lane), "expected 1 to 1048575 arrivals, found", count, true);
    b.bits = count | count << 20;
  });
  return op + 1;
}
/// What each barrier hears of: bytes that came are those of all lanes together. Operands of lanes that differ
/// in other ways are those of the first.
void record_arrivals(Warp& w, const Op* op, const u64* address) {
  const u32 first = first_lane(w);
  if ((op->code & 8) == 0) {
    const u64 bytes = (of_lane(w, op->c, first, 0) + unit_bytes - 1) / unit_bytes;
    const u64 operand =
        (op->code & 4) == 0 ? of_lane(w, op->b, first, 1) : bytes | ((op->code & 1) == 0 ? no_arrival : 0);
    return record_sync(w, op, address, w.mask, 8, operand);
  }
  for (u32 left = w.mask; left != 0;) {
    const int lane = __builtin_ctz(left);
    u64 bytes = 0;
    for (u32 rest = left; rest != 0; rest &= rest - 1) {
      const auto other = static_cast<u32>(__builtin_ctz(rest));
      if (address[other] != address[lane]) continue;
      bytes += of_lane(w, op->c, other, 0);
      left &= ~(1U << other);
    }
    record_sync(w, op, address, 1U << lane, 8, (bytes + unit_bytes - 1) / unit_bytes);
  }
}
/// code bits: 1 arrives, 2 is not waited for any more, 4 expects bytes (row c), 8 bytes came (row c).
const Op* barrier_arrive(Warp& w, const Op* op) {
  u64 address[32], before[32] = {};
  lane_addresses(w, op, address);
  record_arrivals(w, op, address);
  at_barriers(w, op, address, true, [&](u32 lane, Barrier& b) {
    before[lane] = b.bits;
    const u64 count = (op->code & 1) != 0 ? of_lane(w, op->b, lane, 1) : 0;
    if (count > b.pending())
      fault(w, op, static_cast<int>(lane),
            "more arrivals than the barrier was made for, pending:", b.pending(), true);
    const u64 bytes = of_lane(w, op->c, lane, 0);
    u64 left = b.bytes();
    if ((op->code & 4) != 0) left += bytes;
    if ((op->code & 8) != 0) left -= bytes;
    b.set(b.pending() - count, b.expected() - ((op->code & 2) != 0 ? count : 0), left, b.phase());
  });
  if (op->d != no_row) put(w, op->d, before);
  return op + 1;
}
/// cp.async.mbarrier.arrive without .noinc.
const Op* barrier_copies(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  at_barriers(w, op, address, false, [](u32, const Barrier&) {});
  record_sync(w, op, address, w.mask, 8, 0);
  return op + 1;
}
/// Row b: the state that an arrival returned, or (code 1) the parity of a phase. Who has to wait lets the
/// others run first. A record has the test that the phase has ended for, not those before.
const Op* barrier_test(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  const auto phase_of = [&](u32 lane) {
    return op->code != 0 ? row_of<u32>(w, op->b)[lane] & 1 : row_of<u64>(w, op->b)[lane] >> 63;
  };
  u32 done = 0;
  at_barriers(w, op, address, false, [&](u32 lane, const Barrier& b) {
    const u64 phase = phase_of(lane);
    done |= static_cast<u32>(b.phase() != phase) << lane;
  });
  if (done != 0) record_sync(w, op, address, done, 8, phase_of(static_cast<u32>(__builtin_ctz(done))));
  put_predicate(w, op->d, done);
  if ((done & w.mask) == w.mask) return op + 1;
  w.next = op + 1;
  return nullptr;
}
u32 pending_arrivals(u64 state) {
  return static_cast<u32>(Barrier{state}.pending());
}

constexpr HandlerEntry rows[] = {
    make_row(copy_load, {}, "cp.async.load"),        make_row(barrier_init, {}, "mbarrier.init"),
    make_row(barrier_arrive, {}, "mbarrier.arrive"), make_row(barrier_test, {}, "mbarrier.test"),
    make_row(barrier_copies, {}, "mbarrier.copies"), row<pending_arrivals>("mbarrier.pending_count")};

}  // namespace

void add_async(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
