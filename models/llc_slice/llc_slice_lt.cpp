#include "models/llc_slice/llc_slice_lt.h"

#include <algorithm>

namespace strata {
LlcSliceLt::LlcSliceLt(sc_core::sc_module_name module_name, const LlcSliceParams& params,
                       const BuildContext& context)
    : LlcSliceShell<LtLinks>(module_name, params, context) {}

// Requests come in the order of their cycles: one enters the pipeline when it is announced, for its cycle.
LtAnswer LlcSliceLt::post(Txn& txn, int port, Cycle at) {
  if (requests_wait(noc)) return LlcSliceShell::post(txn, port, at);
  if (is_full()) {
    offer(noc, txn, at);
    return {never, never};
  }
  enter(txn, at);
  return {at + 1, never};
}

LtAnswer LlcSliceLt::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  const Cycle whole = noc.tail(at, access.flits);
  access.ledger.charge_until(places_.request_link, clock().ledger_at(at));
  access.ledger.charge_until(places_.request_serial, clock().ledger_at(whole));
  entry_.slide(clock().now());
  const Cycle decided = entry_.book(whole, 1) + lookup_;
  access.ledger.charge_until(places_.pipeline, clock().ledger_at(decided));
  access.flits = 1;
  // A line that others wait for, or no room: to memory, past the tags.
  const std::uint64_t number = access.line / static_cast<std::uint64_t>(core_.params().line);
  if (core_.mshrs().find(number) != MshrFile::none) return {at + 1, fetch_now(txn, {}, decided)};
  const LlcDecision decision = core_.begin_in(core_.expect(access), access, true);
  if (decision.outcome == LlcOutcome::stall) return {at + 1, fetch_now(txn, {}, decided)};
  tell_watch(access, clock().ledger_at(decided));
  ++core_.stats().replies;
  if (decision.outcome == LlcOutcome::miss_new) return {at + 1, fetch_now(txn, decision, decided)};
  if (decision.write) write(decision.write, &access, clock().now());
  const Cycle done = decided + rest_;
  access.ledger.charge_until(places_.pipeline, clock().ledger_at(done));
  return {at + 1, done, false, places_.reply_port};
}

// The cycle in which the answer is ready. The line is filled in at once.
Cycle LlcSliceLt::fetch_now(Txn& txn, const LlcDecision& decision, Cycle now) {
  Access& access = txn.access();
  const bool past = decision.mshr == MshrFile::none;
  const AccessClass access_class =
      carries_request_data(access.access_class) && !past ? AccessClass::load : access.access_class;
  Txn& line =
      past ? pool_.make(access_class, access.line, access.chunks, access.ledger.mark())
           : pool_.make(access_class, core_.line_of(access.line), decision.chunks, access.ledger.mark());
  copy_identity(access, line.access());
  line.access().ledger.charge_until(places_.memory_queue, clock().ledger_at(now + 1));
  const LtAnswer reply = mem.transport(line, now + 1);
  line.access().ledger.charge_until(places_.memory_bus, clock().ledger_at(reply.done));
  access.ledger.absorb(line.access().ledger);
  if (line.access().failed != 0) txn.set_response_status(line.get_response_status());
  line.release();
  if (!past) {
    const LlcFilled filled = core_.fill(decision.mshr, decision.chunks);
    if (decision.write) write(decision.write, nullptr, clock().now());
    if (filled.victim) write(filled.victim, nullptr, clock().now());
    if (filled.through) write(filled.through, &access, clock().now());
  }
  access.ledger.charge_until(places_.reply_port, clock().ledger_at(reply.done + 1));
  return reply.done + 1;
}

}  // namespace strata
