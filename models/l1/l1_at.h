#pragma once

#include "models/l1/l1_at_shell.h"
#include "models/l1/l1_with_textures.h"
#include "models/tlm/fill_request.h"

namespace strata {

/// An at L1: the part that calls its organization. `carried`: payloads carry bytes.
template <class Organization, bool carried = false>
class L1At final : private L1Holder<Organization>, public L1AtShell {
 public:
  L1At(sc_core::sc_module_name name, const typename Organization::Params& params, const BuildContext& context)
      : L1Holder<Organization>(params, context, name),
        L1AtShell(name, this->organization, params.line, context) {}

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  const Organization& state() const { return this->organization; }

 private:
  using L1Holder<Organization>::organization;

  L1Decision take(Txn& txn, Cycle now);
  static bool is_answered(const L1Decision& decision) {
    return decision.outcome == L1Outcome::hit ||
           (Organization::keeps_local && decision.outcome == L1Outcome::kept);
  }
  Accept enter(Access& access, Cycle at);
  void drain(Cycle now);
  void retry(Cycle now) override;
};

template <class Organization, bool carried>
Accept L1At<Organization, carried>::request(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  access.ready = at;
  if constexpr (Organization::queues_accesses) return enter(access, at);
  if (port_busy(access, at)) return hold();  // what it finds is decided when its turn comes
  const L1Decision decision = take(txn, at);
  if (is_answered(decision) && !hits_wait_) {
    const Cycle done = at + latency_;
    ++accounts_.stats.replies;
    access.ledger.charge_until(places_.pipeline, clock().ledger_at(done));
    return Accept::done(done);
  }
  if (decision.outcome == L1Outcome::stall) {
    stall_ = decision.stall;
    stalled_since_ = at;
    return hold();
  }
  if (is_answered(decision)) queue_hit(access, at);
  return Accept::taken(banked_ ? at : at + 1);
}

// Decide in cycle `now` and start whatever must go to the LLC.
template <class Organization, bool carried>
[[gnu::always_inline]] inline L1Decision L1At<Organization, carried>::take(Txn& txn, Cycle now) {
  Access& access = txn.access();
  const L1Decision decision = organization.begin(access, now, accounts_.room());
  if (decision.outcome == L1Outcome::stall) return decision;
  if constexpr (Organization::keeps_local)
    if (decision.outcome == L1Outcome::forward) send_write_backs(access.ledger.mark(), now);
  if constexpr (carried) data_->decided(txn, decision.outcome);
  if (Organization::keeps_local && decision.outcome == L1Outcome::kept)
    accounts_.count_kept();
  else if (Organization::has_textures && takes_texture_path(access))
    accounts_.count_texture(access, decision.outcome, now);
  else
    accounts_.count(access, decision.outcome, now);
  occupy(access.line, access.chunks, now, decision.more_cycles);
  const Cycle ledger = clock().ledger_at(now);
  access.ledger.charge_until(stall_ == L1Stall::none ? places_.port : places_.of(stall_), ledger);
  if (decision.outcome == L1Outcome::miss_new)
    fetch(access, decision, now + miss_latency_);
  else if (decision.outcome == L1Outcome::forward)
    forward(access, now + miss_latency_);
  if constexpr (Organization::keeps_local) send_write_backs(ledger, now);
  return decision;
}

template <class Organization, bool carried>
void L1At<Organization, carried>::retry(Cycle now) {
  if constexpr (Organization::queues_accesses) return drain(now);
  Txn& txn = *sm.held();
  Access& access = txn.access();
  if (access.ready > now) return book(access.ready, send_unit);
  if (port_busy(access, now)) return;
  if (stall_ == L1Stall::none) access.ledger.charge_until(places_.port, clock().ledger_at(now));
  const L1Decision decision = take(txn, now);
  if (decision.outcome == L1Outcome::stall) {
    if (stall_ != L1Stall::none) return;
    stall_ = decision.stall;
    stalled_since_ = now;
    return;
  }
  if (stall_ != L1Stall::none) accounts_.count_stall(stall_, now - stalled_since_);
  stall_ = L1Stall::none;
  --waiting_;
  sm.accept(now + 1);
  if (is_answered(decision)) queue_hit(access, now);
}

// A reply of the LLC: its head flit is here in cycle `at`, its data later.
template <class Organization, bool carried>
Accept L1At<Organization, carried>::response(Txn& txn, int, Cycle at) {
  Access& reply = txn.access();
  const Cycle whole = noc.tail(at, reply.flits);
  reply.ledger.charge_until(places_.reply_link, clock().ledger_at(at));
  const Cycle ledger = clock().ledger_at(whole);
  reply.ledger.charge_until(places_.reply_serial, ledger);
  ++accounts_.stats.replies_from_llc;
  const int fetch = reply.pop_route();
  if (fetch == passing) {
    --passing_count_;
    deliver(reply, whole + 1);
    return Accept::taken(at + 1);
  }
  if constexpr (Organization::keeps_local)
    if (fetch == written_back) {
      write_back_answered(txn);
      return Accept::taken(at + 1);
    }
  if (fetch == part || !is_last(txn, fetch)) {
    Access* const whole_access = fetch == part ? end_part(txn) : nullptr;
    txn.release();
    if (whole_access != nullptr) {
      --passing_count_;
      deliver(*whole_access, whole + 1);
    }
    return Accept::taken(at + 1);
  }
  ++accounts_.stats.fills;
  const AccessFifo waiters = organization.fill(fetch);
  if constexpr (Organization::keeps_local) send_write_backs(ledger, at);  // with bytes that are still here
  if constexpr (carried) data_->filled(txn, waiters);
  serve_waiters(waiters, txn, places_.merge, ledger, [&](Access& waiter) { deliver(waiter, whole + 1); });
  txn.release();
  if (waiting_ != 0) book(at + 1, send_unit);
  return Accept::taken(at + 1);
}

}  // namespace strata

// The rest of L1At.
#include "models/l1/l1_at_queued.h"
