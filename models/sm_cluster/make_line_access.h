#pragma once

#include "models/sm_cluster/sm_core.h"
#include "models/tlm/port_base.h"
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

/// Where an SM charges ledgers: itself, and on behalf of the block behind its socket.
struct SmPlaces {
  SmPlaces() = default;
  /// Known when the socket is bound. A network has no port to wait for, only a queue.
  explicit SmPlaces(const PortBase& core)
      : queue(core.owner().place_for(Cause::queue)),
        reconfiguration(core.owner().place_for(Cause::reconfiguration)),
        port(core.place_beyond(core.behind_network() ? Cause::request_queue : Cause::port)),
        pipeline(core.place_beyond(core.behind_network() ? Cause::external : Cause::pipeline)),
        external(core.place_beyond(Cause::external)),
        network(core.behind_network()) {
    if (!network) return;
    reply_link = core.place_of_link(Cause::reply_link);
    reply_serial = core.place_of_link(Cause::reply_serial);
  }

  Place queue = no_place, reconfiguration = no_place;
  Place port = no_place, pipeline = no_place, external = no_place;  ///< of the next block
  bool network = false;                                             ///< that is one
  Place reply_link = no_place, reply_serial = no_place;             ///< of the link from there, if it is
};

/// Charge the cycles up to `now` to `place`, those of the stall to the reconfiguration.
[[gnu::noinline, gnu::cold]] inline void charge_around(Ledger& ledger, Place place, const SmPlaces& places,
                                                       const StallSpan& stall, const ClockDomain& clock,
                                                       Cycle now) {
  const Cycle from = clock.ledger_at(stall.from < now ? stall.from : now);
  const Cycle until = clock.ledger_at(stall.until < now ? stall.until : now);
  ledger.charge_until(place, from);
  ledger.charge_until(places.reconfiguration, until);
  ledger.charge(place, clock.ledger_at(now));
}

/// The line access whose turn it is at `queue` of `core`, sent in cycle `now` by SM `sm` of the platform.
[[gnu::always_inline]] inline Txn& make_line_access(TxnPool& pool, const SmCore& core,
                                                    const LoadStoreUnit& queue, int sm, int cluster,
                                                    const ClockDomain& clock, Cycle now,
                                                    const SmPlaces& places, const StallSpan& stall = {}) {
  const MemoryOp& op = queue.head();
  const InstructionWord instruction = op.instruction;
  const LineAccess line = queue.line();
  const ResidentCta& cta = core.cta(op.cta_slot);
  Txn& txn = pool.make(class_of(instruction.op()), line.line, line.sectors, clock.ledger_at(op.entered));
  Access& access = txn.access();
  access.spare_words = line.spare_words;
  access.parts = line.parts;
  if (instruction.op() == OpClass::atomic) [[unlikely]] {
    access.reduces = !instruction.returns();
    access.lanes = core.atomic_lanes();
  }
  access.non_coherent = instruction.non_coherent();
  access.bypass_l1 = instruction.bypass_l1();
  access.local = instruction.local();
  access.sm = static_cast<std::uint16_t>(sm);
  access.cluster = static_cast<std::uint16_t>(cluster);
  access.warp = op.warp;
  access.application = cta.application;
  access.load_slot = op.slot;
  access.cta = cta.index;
  access.kernel = cta.kernel_id;
  access.pc = instruction.pc();
  const Cycle turn = queue.turn();
  if (stall.from < now && op.entered < stall.until) {
    charge_around(access.ledger, places.queue, places, stall, clock, turn);
    if (turn != now) charge_around(access.ledger, places.port, places, stall, clock, now);
    return txn;
  }
  access.ledger.charge(places.queue, clock.ledger_at(turn));
  if (turn != now) access.ledger.charge(places.port, clock.ledger_at(now));
  return txn;
}

}  // namespace strata
