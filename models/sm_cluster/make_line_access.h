#pragma once

#include "models/sm_cluster/sm_core.h"
#include "models/tlm/clock_domain.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// Both list load, read-only load, store and atomic in this order.
inline AccessClass class_of(OpClass op) {
  constexpr int first = static_cast<int>(OpClass::load);
  static_assert(static_cast<int>(AccessClass::read_only_load) ==
                static_cast<int>(OpClass::read_only_load) - first);
  static_assert(static_cast<int>(AccessClass::store) == static_cast<int>(OpClass::store) - first);
  static_assert(static_cast<int>(AccessClass::atomic) == static_cast<int>(OpClass::atomic) - first);
  return static_cast<AccessClass>(static_cast<int>(op) - first);
}

/// Cycles [from, until) in which an SM stands still.
struct StallSpan {
  Cycle from = never;
  Cycle until = never;
};

/// Charge the cycles up to `now` to `cause`, those of the stall to the reconfiguration.
[[gnu::noinline, gnu::cold]] inline void charge_around(Ledger& ledger, Cause cause, const StallSpan& stall,
                                                       const ClockDomain& clock, Cycle now) {
  const Cycle from = clock.ledger_at(stall.from < now ? stall.from : now);
  const Cycle until = clock.ledger_at(stall.until < now ? stall.until : now);
  ledger.charge_until(cause, from);
  ledger.charge_until(Cause::reconfiguration, until);
  ledger.charge(cause, clock.ledger_at(now));
}

/// The line access whose turn it is at `core`, sent in cycle `now` by SM `sm` of the platform.
[[gnu::always_inline]] inline Txn& make_line_access(TxnPool& pool, const SmCore& core, int sm, int cluster,
                                                    const ClockDomain& clock, Cycle now,
                                                    const StallSpan& stall = {}) {
  const MemoryOp& op = core.op();
  const WarpInstruction& instruction = op.instruction;
  const LineAccess& line = core.line();
  const ResidentCta& cta = core.cta();
  Txn& txn = pool.make(class_of(instruction.op), line.line, line.chunks, clock.ledger_at(op.entered));
  Access& access = txn.access();
  access.non_coherent = instruction.non_coherent;
  access.bypass_l1 = instruction.bypass_l1;
  access.sm = static_cast<std::uint16_t>(sm);
  access.cluster = static_cast<std::uint16_t>(cluster);
  access.warp = op.warp;
  access.application = cta.application;
  access.load_slot = op.slot;
  access.cta = cta.index;
  access.kernel = cta.kernel_id;
  access.pc = instruction.pc;
  const Cycle turn = core.turn();
  if (stall.from < now && op.entered < stall.until) {
    charge_around(access.ledger, Cause::coalescer, stall, clock, turn);
    if (turn != now) charge_around(access.ledger, Cause::l1_port, stall, clock, now);
    return txn;
  }
  access.ledger.charge(Cause::coalescer, clock.ledger_at(turn));
  if (turn != now) access.ledger.charge(Cause::l1_port, clock.ledger_at(now));
  return txn;
}

}  // namespace strata
