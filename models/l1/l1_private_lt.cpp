#include "models/l1/l1_private_lt.h"

#include <algorithm>
#include <cassert>

namespace strata {
L1PrivateLt::L1PrivateLt(sc_core::sc_module_name module_name, const L1PrivateParams& params,
                         const BuildContext& context)
    : LtBlock(module_name, context.clock),
      core_(params),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)),
      departures_(static_cast<std::size_t>(params.miss_queue)),
      fills_(static_cast<std::size_t>(params.mshrs)),
      fetches_(static_cast<std::size_t>(params.mshrs)) {}

// The core takes in what came before `until`.
[[gnu::always_inline]] inline void L1PrivateLt::take_fills(Cycle until) {
  while (fills_.next() < until) take_fill();
}

void L1PrivateLt::take_fill() {
  [[maybe_unused]] const AccessFifo waiters = core_.fill(fills_.pop());
  assert(waiters.empty());  // they left when they were told
}

// The miss queue counts what has left it only where it may be full.
void L1PrivateLt::take_departures(Cycle until) {
  for (; departures_.next() < until; departures_.pop()) core_.departed();
}

LtAnswer L1PrivateLt::post(Txn& txn, int, Cycle at) {
  return take(txn, at, true);
}

LtAnswer L1PrivateLt::transport(Txn& txn, int, Cycle at) {
  return take(txn, at, false);
}

[[gnu::always_inline]] inline LtAnswer L1PrivateLt::take(Txn& txn, Cycle at, bool posted) {
  Access& access = txn.access();
  const Cycle now = std::max(at, port_free_);
  take_fills(now);
  if (access.access_class == AccessClass::flush) return hold(txn, now, L1Stall::none, posted);
  access.ledger.charge_until(Cause::l1_port, clock().ledger_at(now));
  std::uint32_t set;
  return core_.hits(access, now, set) ? hit(access, now) : miss(txn, set, now, posted);
}

[[gnu::always_inline]] inline LtAnswer L1PrivateLt::hit(Access& access, Cycle now) {
  port_free_ = now + static_cast<Cycle>(core_.params().port_cycles);
  const Cycle done = now + static_cast<Cycle>(core_.params().latency);
  access.ledger.charge_until(Cause::l1_pipeline, clock().ledger_at(done));
  ++core_.stats().replies;
  return {now + 1, done, true};
}

LtAnswer L1PrivateLt::miss(Txn& txn, std::uint32_t set, Cycle now, bool posted) {
  if (core_.queued() == core_.params().miss_queue) take_departures(now);
  const L1Decision decision = core_.miss(txn.access(), now, set);
  if (decision.outcome == L1Outcome::stall) return hold(txn, now, decision.stall, posted);
  return start(txn, decision, now, posted);
}

LtAnswer L1PrivateLt::hold(Txn& txn, Cycle now, L1Stall stall, bool posted) {
  held_ = {&txn, now, now, stall, stall};
  return retry(posted);
}

// The held access, once more after each fill or departure that can end its stall. It stays held while none is
// known.
LtAnswer L1PrivateLt::retry(bool posted) {
  Txn& txn = *held_.txn;
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return flush(txn);
  Cycle& now = held_.now;
  L1Decision decision{};
  do {
    const Cycle next = held_.waits_for == L1Stall::miss_queue ? departures_.next() : fills_.next();
    if (next == never) return {never, never};
    now = std::max(now, next + 1);
    take_fills(now);
    take_departures(now);
    decision = core_.begin(access, now);
    held_.waits_for = decision.stall;
  } while (decision.outcome == L1Outcome::stall);
  held_.txn = nullptr;
  core_.count_stall(held_.stall, now - held_.since);
  access.ledger.charge_until(held_.stall == L1Stall::miss_queue ? Cause::l1_miss_queue : Cause::l1_mshr_full,
                             clock().ledger_at(now));
  if (decision.outcome != L1Outcome::hit) return start(txn, decision, now, posted);
  LtAnswer told = hit(access, now);
  told.at_once = false;
  return told;
}

// What ends the stall of the held access may be known now.
void L1PrivateLt::resume() {
  Txn& txn = *held_.txn;
  LtAnswer told = retry(true);
  if (told.accepted == never) return;
  core.accept(told.accepted);
  if (told.done == never) return;
  told.at_once = false;
  core.answer(txn, told);
}

[[gnu::always_inline]] inline LtAnswer L1PrivateLt::start(Txn& txn, L1Decision decision, Cycle now,
                                                          bool posted) {
  Access& access = txn.access();
  port_free_ = now + static_cast<Cycle>(core_.params().port_cycles);
  if (decision.outcome == L1Outcome::miss_merged) return merge(access, decision.mshr, now);
  const bool fetch = decision.outcome == L1Outcome::miss_new;
  if (!fetch) access.push_route(forwarded);
  Txn& sent = fetch ? make_fetch(access, decision.mshr) : txn;
  const LtAnswer answer = leave(sent, now + static_cast<Cycle>(core_.params().miss_latency), posted);
  return {now + 1, answer.done == never ? never : known_at_once(txn, sent, answer.done), false,
          Cause::l1_fill};
}

inline LtAnswer L1PrivateLt::merge(Access& access, int mshr, Cycle now) {
  access.ready = now;
  Fetch& fetch = fetches_[static_cast<std::size_t>(mshr)];
  if (fetch.whole == never) return {now + 1, never};
  core_.let_go(mshr);
  if (fetch.status != tlm::TLM_OK_RESPONSE) Txn::of(access).set_response_status(fetch.status);
  return {now + 1, serve(access, fetch), false, Cause::l1_fill};
}

inline Txn& L1PrivateLt::make_fetch(const Access& access, int mshr) {
  Txn& line = pool_.make(access.access_class, access.line, line_chunks_, access.ledger.mark());
  line.access().push_route(mshr);
  copy_identity(access, line.access());
  fetches_[static_cast<std::size_t>(mshr)].whole = never;
  return line;
}

// A request that is in the miss queue: to the link, or behind others when nobody knows when that is free.
[[gnu::always_inline]] inline LtAnswer L1PrivateLt::leave(Txn& txn, Cycle ready, bool posted) {
  if (noc_free_ == never || !out_.empty()) {
    txn.access().ready = ready;
    out_.push(txn.access());
    return {never, never};
  }
  const LtAnswer answer = depart(txn, ready, posted);
  if (!out_.empty()) post_waiting();
  return answer;
}

[[gnu::always_inline]] inline LtAnswer L1PrivateLt::depart(Txn& txn, Cycle ready, bool posted) {
  Access& access = txn.access();
  const Cycle at = std::max(ready, noc_free_);
  access.ledger.charge_split_until(Cause::l1_pipeline, static_cast<Cycle>(core_.params().miss_latency),
                                   Cause::l1_miss_queue, clock().ledger_at(at));
  access.flits = 1;
  departures_.push(at, 0);
  noc_free_ = never;  // others that want to leave during the call come after it
  const LtAnswer answer = posted ? noc.post(txn, at) : noc.transport(txn, at);
  noc_free_ = std::max(answer.accepted, at + 1);
  if (posted && answer.done != never && !answer.at_once)
    noc.answer_taken(answer.done, answer.done + access.flits);
  return answer;
}

// Where requests were refused that had been announced ahead, each goes in its own cycle.
void L1PrivateLt::post_waiting() {
  while (!out_.empty() && noc_free_ != never) {
    const Cycle due = std::max(out_.front().ready, noc_free_);
    if (refused_ && due > clock().now() + 1) return book(due - 1);
    Access& access = out_.pop();
    const LtAnswer answer = depart(Txn::of(access), access.ready, true);
    if (answer.done != never) take_answer(Txn::of(access), answer.done, arrive(access, answer.done));
  }
  if (out_.empty()) refused_ = false;
}

void L1PrivateLt::advance(Cycle, int) {
  post_waiting();
  if (held_.txn != nullptr) resume();
}

// The link is free again.
void L1PrivateLt::accepted(int, Cycle at) {
  noc_free_ = std::max(at, announced_);
  post_waiting();
  if (held_.txn != nullptr) resume();
}

// A request that was announced ahead has found the link busy, and others announced after it wait there.
void L1PrivateLt::refused(int) {
  if (noc_free_ != never) announced_ = noc_free_;
  noc_free_ = never;
  refused_ = true;
}

// The head of an answer comes: the cycle in which all of it is here.
inline Cycle L1PrivateLt::arrive(Access& access, Cycle at) {
  const Cycle whole = at + access.flits - 1U;
  access.ledger.charge_until(Cause::reply_link, clock().ledger_at(at));
  access.ledger.charge_until(Cause::reply_serial, clock().ledger_at(whole));
  ++core_.stats().replies_from_llc;
  return whole;
}

// `sent` on behalf of `txn` was answered within the call: such answers may come in any order, and do not wait
// for each other.
Cycle L1PrivateLt::known_at_once(Txn& txn, Txn& sent, Cycle done) {
  Access& access = sent.access();
  const Cycle whole = arrive(access, done);
  const int mshr = access.pop_route();
  if (mshr == forwarded) return reply(access, whole + 1);
  core_.let_go(mshr);
  if (access.failed != 0) txn.set_response_status(sent.get_response_status());
  const Cycle at = serve_first(txn.access(), access.ledger, fill(sent, mshr, done, {whole, whole + 1}));
  sent.release();
  return at;
}

void L1PrivateLt::answered(Txn& txn, int, const LtAnswer& answer) {
  const Cycle whole = arrive(txn.access(), answer.done);
  noc.answer_taken(answer.done, whole + 1);
  take_answer(txn, answer.done, whole);
  if (held_.txn != nullptr) resume();
}

// Those that wait for it are told, one a cycle.
[[gnu::always_inline]] inline void L1PrivateLt::take_answer(Txn& txn, Cycle done, Cycle whole) {
  const auto tell = [this](Access& access, Cycle at) {
    core.answer(Txn::of(access), {0, at, false, Cause::l1_fill});
  };
  Access& access = txn.access();
  const int mshr = access.pop_route();
  const Cycle first_reply = std::max(whole + 1, reply_free_);
  if (mshr == forwarded) {
    reply_free_ = first_reply + 1;
    return tell(access, reply(access, first_reply));
  }
  Fetch& fetch = fill(txn, mshr, done, {whole, first_reply});
  AccessFifo waiters = core_.let_go(mshr);
  if (access.failed != 0)
    for (Access* waiter = &waiters.front(); waiter != nullptr; waiter = waiter->next)
      Txn::of(*waiter).set_response_status(fetch.status);
  Access& first = waiters.pop();
  tell(first, serve_first(first, access.ledger, fetch));
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    tell(waiter, serve(waiter, fetch));
  }
  reply_free_ = fetch.next_reply;
  txn.release();
}

// The core takes a line in with its head flit.
inline L1PrivateLt::Fetch& L1PrivateLt::fill(Txn& line, int mshr, Cycle head, const Fetch& known) {
  fills_.push(head, mshr);
  Fetch& fetch = fetches_[static_cast<std::size_t>(mshr)];
  fetch = known;
  if (line.access().failed != 0) fetch.status = line.get_response_status();
  return fetch;
}

// To the access that made us fetch a line: the cycle of its answer.
inline Cycle L1PrivateLt::serve_first(Access& first, const Ledger& line, Fetch& fetch) {
  first.ledger.absorb(line);
  return reply(first, fetch.next_reply++);
}

// To one that joined it. One that its source sent after the fill, before that was known, is answered late.
inline Cycle L1PrivateLt::serve(Access& waiter, Fetch& fetch) {
  waiter.ledger.charge_until(Cause::l1_merge, clock().ledger_at(fetch.whole));
  const Cycle at = std::max(fetch.next_reply, waiter.ready + 1);
  fetch.next_reply = at + 1;
  return reply(waiter, at);
}

inline Cycle L1PrivateLt::reply(Access& access, Cycle at) {
  access.ledger.charge_until(Cause::l1_fill, clock().ledger_at(at));
  ++core_.stats().replies;
  access.flits = 1;
  return at;
}

// Held until the end of every fetch is known.
LtAnswer L1PrivateLt::flush(Txn& txn) {
  if (static_cast<std::size_t>(core_.mshrs().in_use()) != fills_.size()) return {never, never};
  held_.txn = nullptr;
  Cycle now = held_.now;
  while (!fills_.empty()) {
    now = std::max(now, fills_.next() + 1);
    take_fills(now);
  }
  core_.flush();
  ++core_.stats().replies;
  txn.access().ledger.charge_until(Cause::reconfiguration, clock().ledger_at(now + 1));
  return {now + 1, now + 1, true};
}

unsigned L1PrivateLt::debug(tlm::tlm_generic_payload& payload, int) {
  return noc.debug(payload);
}

void L1PrivateLt::settle(Cycle now) {
  take_fills(now);
  take_departures(now);
}

Faults L1PrivateLt::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (!out_.empty() || held_.txn != nullptr) blame("accesses wait for their link");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " fetches were never released");
  return faults;
}

}  // namespace strata
