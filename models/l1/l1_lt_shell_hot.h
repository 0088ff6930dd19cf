#pragma once

#include <algorithm>

#include "models/l1/l1_lt_shell.h"

// What every access passes is inlined into the shells of the organizations.
namespace strata {

[[gnu::always_inline]] inline LtAnswer L1LtShell::hit(Access& access, Cycle now) {
  port_free_ = now + port_cycles_;
  const Cycle done = now + latency_;
  access.ledger.charge_until(places_.pipeline, clock().ledger_at(done));
  ++accounts_.stats.replies;
  return {now + 1, done, true};
}

inline Txn& L1LtShell::make_fetch(Access& access, const L1Decision& decision) {
  Txn& line = pool_.make(access.access_class, access.line, decision.chunks, access.ledger.mark());
  line.access().push_route(decision.fetch);
  copy_identity(access, line.access());
  line.cause = &access;
  fetches_[static_cast<std::size_t>(decision.fetch)].whole = never;
  return line;
}

// A request that is in the miss queue: to the link, or behind others when nobody knows when that is free.
[[gnu::always_inline]] inline LtAnswer L1LtShell::leave(Txn& txn, Cycle ready, bool posted) {
  if (noc_free_ == never || !out_.empty()) {
    txn.access().ready = ready;
    out_.push(txn.access());
    return {never, never};
  }
  const LtAnswer answer = depart(txn, ready, posted);
  if (!out_.empty()) post_waiting();
  return answer;
}

[[gnu::always_inline]] inline LtAnswer L1LtShell::depart(Txn& txn, Cycle ready, bool posted) {
  Access& access = txn.access();
  const Cycle at = std::max(ready, noc_free_);
  access.ledger.charge_split_until(places_.pipeline, miss_latency_, places_.miss_queue,
                                   clock().ledger_at(at));
  access.flits = 1;
  departures_.push(at, 0);
  noc_free_ = never;  // others that want to leave during the call come after it
  const LtAnswer answer = posted ? noc.post(txn, at) : noc.transport(txn, at);
  noc_free_ = std::max(answer.accepted, at + 1);
  if (posted && answer.done != never && !answer.at_once)
    noc.answer_taken(answer.done, answer.done + access.flits);
  return answer;
}

// The head of an answer comes: the cycle in which all of it is here.
inline Cycle L1LtShell::arrive(Access& access, Cycle at) {
  const Cycle whole = noc.tail(at, access.flits);
  access.ledger.charge_until(places_.reply_link, clock().ledger_at(at));
  access.ledger.charge_until(places_.reply_serial, clock().ledger_at(whole));
  ++accounts_.stats.replies_from_llc;
  return whole;
}

// The organization takes a line in with its head flit.
inline L1LtShell::Fetch& L1LtShell::fill(Txn& line, int number, Cycle head, const Fetch& known) {
  fills_.push(head, static_cast<std::uint16_t>(number));
  Fetch& fetch = fetches_[static_cast<std::size_t>(number)];
  fetch = known;
  if (line.access().failed != 0) fetch.status = line.get_response_status();
  return fetch;
}

// To the access that made us fetch a line: the cycle of its answer.
inline Cycle L1LtShell::serve_first(Access& first, const Ledger& line, Fetch& fetch) {
  first.ledger.absorb(line);
  return reply(first, fetch.next_reply++);
}

// To one that joined it. One that its source sent after the fill, before that was known, is answered late.
inline Cycle L1LtShell::serve(Access& waiter, Fetch& fetch) {
  waiter.ledger.charge_until(places_.merge, clock().ledger_at(fetch.whole));
  const Cycle at = std::max(fetch.next_reply, waiter.ready + 1);
  fetch.next_reply = at + 1;
  return reply(waiter, at);
}

inline Cycle L1LtShell::reply(Access& access, Cycle at) {
  access.ledger.charge_until(places_.fill, clock().ledger_at(at));
  ++accounts_.stats.replies;
  access.flits = 1;
  return at;
}

}  // namespace strata
