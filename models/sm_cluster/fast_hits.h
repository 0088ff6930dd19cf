#pragma once

#include "models/l1/l1_pipeline.h"
#include "models/sm_cluster/sm_applications.h"
#include "models/sm_cluster/sm_core_inline.h"

namespace strata {

/// The fast path of loads that hit. It is optional, and all of it is in this file: `run.fast_path: off`
/// switches it off, with equal results and digests.
///
/// A load that hits changes nothing in an L1 but the order of use and some counters. Where an SM is bound
/// directly to an L1 and nothing else sees its accesses, such a load gets no transaction: the design is asked
/// by CacheDesign::hit(), and the SM and the L1 count what they count for a transaction. If the load does not
/// hit, or if the L1 is busy, nothing has changed, and the SM makes the transaction.
struct FastHits {
  /// The L1 at this socket; null: its hits need a transaction.
  static L1Pipeline* l1_of(const InitiatorPort& port) {
    auto* const l1 = dynamic_cast<L1Pipeline*>(port.direct_end());
    const bool usual = l1 != nullptr && l1->queues_ == nullptr && l1->prefetches_ == nullptr &&
                       l1->data_ == nullptr && !l1->keeps_local_;
    return usual ? l1 : nullptr;
  }

  /// The line whose turn it is at the load/store queue of `sm` leaves in cycle `now` and hits. False: it does
  /// not, and nothing has changed.
  [[gnu::always_inline]] static bool send(SmState& sm, const ClockDomain& clock, Cycle now) {
    const MemoryOp& op = sm.core.op();
    const InstructionWord instruction = op.instruction;
    SmApplication& app = *sm.app;
    const bool stalled = app.stall.from < now && op.entered < app.stall.until;
    if (!instruction.plain_load() || stalled || app.by_kernel) return false;
    const LineAccess line = sm.core.lsu().line();
    const Cycle done = find(*sm.fast_l1, line, now);
    if (done == never) return false;
    const Cycle birth = clock.ledger_at(op.entered), turn = clock.ledger_at(sm.core.lsu().turn());
    const Cycle sent = clock.ledger_at(now), retired = clock.ledger_at(done);
    app.totals.add_load(retired - birth, {{sm.places.queue, turn - birth},
                                          {sm.places.port, sent - turn},
                                          {sm.places.pipeline, retired - sent}});
    app.stats.memory_latency += retired - birth;
    app.stats.local_hits += instruction.local();
    sm.core.reply_at_once(done, op.warp, op.slot);
    sm.core.line_sent(now);
    sm.link_free = now + 1;
    return true;
  }

 private:
  /// The cycle of the reply; never: it is no hit, and nothing has changed.
  [[gnu::always_inline]] static Cycle find(L1Pipeline& l1, const LineAccess& line, Cycle now) {
    if (now < l1.port_free_ || l1.accounts_.watch != nullptr) return never;
    if (!l1.banks_.plain() &&
        (l1.banks_.free(line.line, line.sectors) > now || l1.behind_banks_.full(line.line, line.sectors)))
      return never;
    if (!l1.design_.hit(line.line, line.sectors)) return never;
    L1Stats& stats = l1.accounts_.stats;
    ++stats.requests;
    ++stats.accesses;
    ++stats.hits;
    ++stats.replies;
    l1.occupy(line.line, line.sectors, now, 0);
    return now + l1.latency_;
  }
};

}  // namespace strata
