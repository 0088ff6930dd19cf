#pragma once

#include <cassert>

#include "models/l1/l1_lt_shell_hot.h"

namespace strata {

/// An lt L1: the part that calls its organization.
template <class Organization>
class L1Lt final : private L1Holder<Organization>, public L1LtShell {
 public:
  L1Lt(sc_core::sc_module_name name, const typename Organization::Params& params, const BuildContext& context)
      : L1Holder<Organization>(params, context, name), L1LtShell(name, this->organization, context) {
    if (params.line > context.map.line_bytes())
      throw ConfigError(Faults{param_fault("line", "is " + to_text(params.line) +
                                                       "; allowed in lt: at most address_map.line = " +
                                                       to_text(Bytes(context.map.line_bytes())))});
  }

  LtAnswer transport(Txn& txn, int, Cycle at) override { return take(txn, at, false); }
  LtAnswer post(Txn& txn, int, Cycle at) override { return take(txn, at, true); }
  void settle(Cycle now) override {
    take_fills(now);
    take_departures(now);
  }
  const Organization& state() const { return this->organization; }

 private:
  using L1Holder<Organization>::organization;
  void answered(Txn& txn, int, const LtAnswer& answer) override {
    const Cycle whole = arrive(txn.access(), answer.done);
    noc.answer_taken(answer.done, whole + 1);
    take_answer(txn, answer.done, whole);
    if (held_.txn != nullptr) resume();
  }
  LtAnswer retry(bool posted) override;
  void take_answer(Txn& txn, Cycle done, Cycle whole) override;

  /// The organization takes in what came before `until`.
  [[gnu::always_inline]] void take_fills(Cycle until) {
    while (fills_.next() < until) take_fill();
  }
  void take_fill() {
    ++accounts_.stats.fills;
    [[maybe_unused]] const AccessFifo waiters = organization.fill(fills_.pop().value);
    assert(waiters.empty());  // they left when they were told
  }
  LtAnswer take(Txn& txn, Cycle at, bool posted);
  LtAnswer start(Txn& txn, const L1Decision& decision, Cycle now, bool posted);
  LtAnswer merge(Access& access, int number, Cycle now) {
    access.ready = now;
    Fetch& fetch = fetches_[static_cast<std::size_t>(number)];
    if (fetch.whole == never) return {now + 1, never};
    organization.let_go(number);
    if (fetch.status != tlm::TLM_OK_RESPONSE) Txn::of(access).set_response_status(fetch.status);
    return {now + 1, serve(access, fetch), false, places_.fill};
  }
  Cycle known_at_once(Txn& txn, Txn& sent, Cycle done);
};

template <class Organization>
[[gnu::always_inline]] inline LtAnswer L1Lt<Organization>::take(Txn& txn, Cycle at, bool posted) {
  Access& access = txn.access();
  const Cycle now = std::max(at, port_free_);
  take_fills(now);
  access.ledger.charge_until(places_.port, clock().ledger_at(now));
  if (!accounts_.room()) take_departures(now);
  const L1Decision decision = organization.begin(access, now, accounts_.room());
  if (decision.outcome == L1Outcome::stall) {
    held_ = {&txn, now, now, decision.stall, decision.stall};
    return retry(posted);
  }
  accounts_.count(access, decision.outcome, now);
  return decision.outcome == L1Outcome::hit ? hit(access, now) : start(txn, decision, now, posted);
}

template <class Organization>
LtAnswer L1Lt<Organization>::retry(bool posted) {
  Txn& txn = *held_.txn;
  Cycle& now = held_.now;
  L1Decision decision{};
  do {
    const Cycle next = held_.waits_for == L1Stall::miss_queue ? departures_.next() : fills_.next();
    if (next == never) return {never, never};
    now = std::max(now, next + 1);
    take_fills(now);
    take_departures(now);
    decision = organization.begin(txn.access(), now, accounts_.room());
    held_.waits_for = decision.stall;
  } while (decision.outcome == L1Outcome::stall);
  accounts_.count(txn.access(), decision.outcome, now);
  end_stall(txn.access());
  if (decision.outcome != L1Outcome::hit) return start(txn, decision, now, posted);
  LtAnswer told = hit(txn.access(), now);
  told.at_once = false;
  return told;
}

template <class Organization>
[[gnu::always_inline]] inline LtAnswer L1Lt<Organization>::start(Txn& txn, const L1Decision& decision,
                                                                 Cycle now, bool posted) {
  Access& access = txn.access();
  port_free_ = now + port_cycles_;
  if (decision.outcome == L1Outcome::miss_merged) return merge(access, decision.fetch, now);
  const bool fetch = decision.outcome == L1Outcome::miss_new;
  if (!fetch) {
    access.push_route(forwarded);
    ++passing_count_;
  }
  Txn& sent = fetch ? make_fetch(access, decision) : txn;
  const LtAnswer answer = leave(sent, now + miss_latency_, posted);
  return {now + 1, answer.done == never ? never : known_at_once(txn, sent, answer.done), false, places_.fill};
}

// `sent` on behalf of `txn` was answered within the call: such answers come in any order, none waits for
// another.
template <class Organization>
Cycle L1Lt<Organization>::known_at_once(Txn& txn, Txn& sent, Cycle done) {
  Access& access = sent.access();
  const Cycle whole = arrive(access, done);
  const int number = access.pop_route();
  if (number == forwarded) {
    --passing_count_;
    return reply(access, whole + 1);
  }
  const bool waits = organization.let_go(number).empty();  // for another fetch, too
  if (access.failed != 0) txn.set_response_status(sent.get_response_status());
  Fetch& fetch = fill(sent, number, done, {whole, whole + 1});
  const Cycle at = waits ? never : serve_first(txn.access(), access.ledger, fetch);
  sent.release();
  return at;
}

// Those that wait for it are told, one a cycle.
template <class Organization>
[[gnu::always_inline]] inline void L1Lt<Organization>::take_answer(Txn& txn, Cycle done, Cycle whole) {
  const auto tell = [this](Access& access, Cycle at) {
    sm.answer(Txn::of(access), {0, at, false, places_.fill});
  };
  Access& access = txn.access();
  const int number = access.pop_route();
  const Cycle first_reply = std::max(whole + 1, reply_free_);
  if (number == forwarded) {
    --passing_count_;
    reply_free_ = first_reply + 1;
    return tell(access, reply(access, first_reply));
  }
  Fetch& fetch = fill(txn, number, done, {whole, first_reply});
  AccessFifo waiters = organization.let_go(number);
  if (access.failed != 0 && !waiters.empty()) fail(waiters, fetch.status);
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    tell(waiter, &waiter == txn.cause ? serve_first(waiter, access.ledger, fetch) : serve(waiter, fetch));
  }
  reply_free_ = fetch.next_reply;
  txn.release();
}

}  // namespace strata
