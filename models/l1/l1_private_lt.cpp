#include "models/l1/l1_private_lt.h"

#include <algorithm>

namespace strata {
L1PrivateLt::L1PrivateLt(sc_core::sc_module_name module_name, const L1PrivateParams& params,
                         const BuildContext& context)
    : LtBlock(module_name, context.clock),
      core_(params),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)),
      fills_(static_cast<std::size_t>(params.mshrs)),
      fetches_(static_cast<std::size_t>(params.mshrs)),
      departures_(static_cast<std::size_t>(params.miss_queue)) {}

// Take in what happens before `cycle`: fills, and departures from the miss queue.
[[gnu::always_inline]] inline void L1PrivateLt::pass_until(Cycle cycle) {
  while (core_.queued() != 0 && departures_[departed_] < cycle) {
    core_.departed();
    departed_ = departed_ + 1 == departures_.size() ? 0 : departed_ + 1;
  }
  while (fills_.next() < cycle) {
    AccessFifo waiters = core_.fill(fills_.pop().value);
    while (!waiters.empty()) Txn::of(waiters.pop()).release();
  }
}

// A stalled access is looked at again in the cycle after a fill or a departure. False while none is known.
bool L1PrivateLt::decide(L1Decision& decision) {
  Access& access = turn_.txn->access();
  Cycle& now = turn_.now;
  pass_until(now);
  decision = core_.begin(access, now);
  while (decision.outcome == L1Outcome::stall) {
    if (turn_.stall == L1Stall::none) {
      access.ledger.charge_until(Cause::l1_port, clock().ledger_at(now));
      turn_.stall = decision.stall;
      turn_.since = now;
    }
    const Cycle departure = core_.queued() != 0 ? departures_[departed_] : never;
    const Cycle next = std::min(departure, fills_.next());
    if (next == never) return false;
    now = std::max(now, next) + 1;
    pass_until(now);
    decision = core_.begin(access, now);
  }
  if (turn_.stall == L1Stall::none) {
    access.ledger.charge_until(Cause::l1_port, clock().ledger_at(now));
    return true;
  }
  core_.count_stall(turn_.stall, now - turn_.since);
  access.ledger.charge_until(turn_.stall == L1Stall::miss_queue ? Cause::l1_miss_queue : Cause::l1_mshr_full,
                             clock().ledger_at(now));
  return true;
}

LtAnswer L1PrivateLt::post(Txn& txn, int, Cycle at) {
  turn_ = {&txn, std::max(at, port_free_), 0, L1Stall::none};
  return take_turn();
}

LtAnswer L1PrivateLt::hit(Access& access, Cycle now) {
  const Cycle done = now + static_cast<Cycle>(core_.params().latency);
  access.ledger.charge_until(Cause::l1_pipeline, clock().ledger_at(done));
  ++core_.stats().replies;
  return {port_free_, done, turn_.stall == L1Stall::none};
}

LtAnswer L1PrivateLt::take_turn() {
  Txn& txn = *turn_.txn;
  Access& access = txn.access();
  const L1PrivateParams& params = core_.params();
  if (access.access_class == AccessClass::flush) {
    if (fetching_ != 0) return {never, never};
    turn_.txn = nullptr;
    return flush(txn, turn_.now);
  }
  L1Decision decision{};
  if (!decide(decision)) return {never, never};
  turn_.txn = nullptr;
  const Cycle now = turn_.now;
  port_free_ = now + static_cast<Cycle>(params.port_cycles);
  const Cycle ready = now + static_cast<Cycle>(params.miss_latency);
  switch (decision.outcome) {
    case L1Outcome::hit:
      return hit(access, now);
    case L1Outcome::miss_new: {
      Txn& line = pool_.make(access.access_class, access.line, line_chunks_, access.ledger.mark());
      copy_identity(access, line.access());
      txn.acquire();  // it stays in its MSHR's chain until the fill
      fetches_[static_cast<std::size_t>(decision.mshr)].next_reply = 0;
      line.access().push_route(decision.mshr);
      queue(line, ready);
      return {port_free_, never};
    }
    case L1Outcome::miss_merged:
      if (fetches_[static_cast<std::size_t>(decision.mshr)].next_reply != 0)
        return merge(txn, decision.mshr, now);
      txn.acquire();
      return {port_free_, never};
    default:
      access.push_route(forwarded);
      queue(txn, ready);
      return {port_free_, never};
  }
}

// Into the miss queue, which the core has counted already.
void L1PrivateLt::queue(Txn& txn, Cycle ready) {
  Access& access = txn.access();
  access.ready = ready;
  Cycle departure = never;
  if (!noc.blocked()) {
    departure = std::max({out_free_, ready, noc_free_});
    out_free_ = departure + 1;
    if (out_.empty()) book(departure);
  }
  const std::size_t last = departed_ + static_cast<std::size_t>(core_.queued()) - 1;
  departures_[last >= departures_.size() ? last - departures_.size() : last] = departure;
  out_.push(access);
  ++fetching_;
}

void L1PrivateLt::advance(Cycle now, int) {
  if (out_.empty() || noc.blocked()) return;
  const Cycle due = std::max(out_.front().ready, noc_free_);
  if (due > now) return book(due);
  Access& access = out_.pop();
  const Cycle ledger = clock().ledger_at(now);
  access.ledger.charge_split_until(Cause::l1_pipeline, static_cast<Cycle>(core_.params().miss_latency),
                                   Cause::l1_miss_queue, ledger);
  access.flits = 1;
  const Accept accept = noc.send(Txn::of(access));
  if (accept.is_held()) return expect_departures(never);
  noc_free_ = std::max(accept.at, now + 1);
  if (out_.empty()) return;
  expect_departures(noc_free_);
  book(std::max(out_.front().ready, noc_free_));
}

// The link is free again.
void L1PrivateLt::accepted(int, Cycle at) {
  noc_free_ = at;
  if (out_.empty()) return;
  expect_departures(at);
  book(std::max(out_.front().ready, at));
  if (turn_.txn != nullptr) retry();
}

// The requests that have not left go one a cycle from `first` on; never: nobody knows.
void L1PrivateLt::expect_departures(Cycle first) {
  const auto waiting = static_cast<std::size_t>(out_.size());
  const auto queued = static_cast<std::size_t>(core_.queued());
  std::size_t place = departed_ + (queued > waiting ? queued - waiting : 0);
  Cycle next = first;
  for (std::size_t i = queued > waiting ? 0 : waiting - queued; i < waiting; ++i, ++place) {
    Cycle& departure = departures_[place >= departures_.size() ? place - departures_.size() : place];
    next = departure == never || first == never ? next : std::max(next, departure);
    departure = next;
    if (next != never) ++next;
  }
  out_free_ = next == never ? 0 : next;
}

// An answer: the cycle in which all of it is here.
Cycle L1PrivateLt::arrive(Access& access, const LtAnswer& reply) {
  const Cycle whole = reply.done + access.flits - 1U;
  access.ledger.charge_until(Cause::reply_link, clock().ledger_at(reply.done));
  access.ledger.charge_until(Cause::reply_serial, clock().ledger_at(whole));
  ++core_.stats().replies_from_llc;
  return whole;
}

void L1PrivateLt::answered(Txn& txn, int, const LtAnswer& reply) {
  Access& access = txn.access();
  Cycle whole = arrive(access, reply);
  noc.answer_taken(reply.done, whole + 1);
  if (whole < turn_.now) {  // its source has run past it: it is seen late
    whole = turn_.now;
    access.ledger.charge_until(Cause::reply_serial, clock().ledger_at(whole));
  }
  const int mshr = access.pop_route();
  --fetching_;
  if (mshr == forwarded) {
    core.answer(txn, answer(access, whole + 1));
  } else {
    fills_.push(whole + 1U - access.flits, static_cast<std::uint16_t>(mshr));
    fetches_[static_cast<std::size_t>(mshr)] = {whole + 2, clock().ledger_at(whole),
                                                txn.get_response_status()};
    answer_waiters(mshr, whole, access);
    txn.release();
  }
  if (turn_.txn != nullptr) retry();
}

// They stay in the MSHR's chain until the core takes the fill in.
void L1PrivateLt::answer_waiters(int mshr, Cycle whole, Access& line) {
  Fetch& fetch = fetches_[static_cast<std::size_t>(mshr)];
  const bool failed = line.failed != 0;
  Cycle reply = whole + 1;
  for (Access* waiter = &core_.mshrs().waiters(mshr).front(); waiter != nullptr;) {
    Access& access = *waiter;
    waiter = access.next;
    if (reply == whole + 1)
      access.ledger.absorb(line.ledger);
    else
      access.ledger.charge_until(Cause::l1_merge, fetch.ledger);
    if (failed) Txn::of(access).set_response_status(fetch.status);
    core.answer(Txn::of(access), answer(access, reply));
    fetch.next_reply = ++reply;
  }
}

// What ends the stall of the access that holds the link may be known now.
void L1PrivateLt::retry() {
  Txn& txn = *turn_.txn;
  LtAnswer told = take_turn();
  if (turn_.txn != nullptr) return;
  core.accept(told.accepted);
  if (told.done == never) return;
  told.at_once = false;
  core.answer(txn, told);
}

// For callers that cannot wait.
LtAnswer L1PrivateLt::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return flush(txn, at);
  const L1PrivateParams& params = core_.params();
  turn_ = {&txn, std::max(at, port_free_), 0, L1Stall::none};
  L1Decision decision{};
  decide(decision);  // every fill is known
  turn_.txn = nullptr;
  const Cycle now = turn_.now;
  port_free_ = now + static_cast<Cycle>(params.port_cycles);
  switch (decision.outcome) {
    case L1Outcome::hit:
      return hit(access, now);
    case L1Outcome::miss_new:
      return fetch(txn, decision.mshr, now);
    case L1Outcome::miss_merged:
      return merge(txn, decision.mshr, now);
    default:
      break;
  }
  return answer(access, send(txn, now + static_cast<Cycle>(params.miss_latency)) + 1);
}

// Through the miss queue to the LLC and back: the cycle in which the whole reply is here.
Cycle L1PrivateLt::send(Txn& txn, Cycle ready) {
  Access& access = txn.access();
  const Cycle sent = std::max(ready, noc_free_);
  const Cycle ledger = clock().ledger_at(sent);
  access.ledger.charge_split_until(Cause::l1_pipeline, static_cast<Cycle>(core_.params().miss_latency),
                                   Cause::l1_miss_queue, ledger);
  const std::size_t last = departed_ + static_cast<std::size_t>(core_.queued()) - 1;
  departures_[last >= departures_.size() ? last - departures_.size() : last] = sent;
  access.flits = 1;
  const LtAnswer reply = noc.transport(txn, sent);
  noc_free_ = std::max(reply.accepted, sent + 1);
  return arrive(access, reply);
}

LtAnswer L1PrivateLt::fetch(Txn& txn, int mshr, Cycle now) {
  Access& access = txn.access();
  Txn& line = pool_.make(access.access_class, access.line, line_chunks_, access.ledger.mark());
  copy_identity(access, line.access());
  const Cycle whole = send(line, now + static_cast<Cycle>(core_.params().miss_latency));
  txn.acquire();  // it stays in its MSHR's chain until the fill
  fills_.push(whole + 1U - line.access().flits, static_cast<std::uint16_t>(mshr));
  Fetch& under_way = fetches_[static_cast<std::size_t>(mshr)];
  under_way = {whole + 2, clock().ledger_at(whole), line.get_response_status()};
  access.ledger.absorb(line.access().ledger);
  if (line.access().failed != 0) txn.set_response_status(under_way.status);
  line.release();
  return answer(access, whole + 1);
}

LtAnswer L1PrivateLt::merge(Txn& txn, int mshr, Cycle now) {
  txn.acquire();
  Fetch& under_way = fetches_[static_cast<std::size_t>(mshr)];
  txn.access().ledger.charge_until(Cause::l1_merge, under_way.ledger);
  if (under_way.status < tlm::TLM_INCOMPLETE_RESPONSE) txn.set_response_status(under_way.status);
  const Cycle reply = std::max(under_way.next_reply, now + 1);
  under_way.next_reply = reply + 1;
  return answer(txn.access(), reply);
}

LtAnswer L1PrivateLt::answer(Access& access, Cycle at) {
  access.ledger.charge_until(Cause::l1_fill, clock().ledger_at(at));
  ++core_.stats().replies;
  access.flits = 1;
  return {port_free_, at, false, Cause::l1_fill};
}

LtAnswer L1PrivateLt::flush(Txn& txn, Cycle at) {
  Cycle now = at;
  for (pass_until(now); !fills_.empty(); pass_until(now)) now = fills_.next() + 1;
  core_.flush();
  ++core_.stats().replies;
  txn.access().ledger.charge_until(Cause::reconfiguration, clock().ledger_at(now + 1));
  return {now + 1, now + 1, true};
}

unsigned L1PrivateLt::debug(tlm::tlm_generic_payload& payload, int) {
  return noc.debug(payload);
}

void L1PrivateLt::settle(Cycle now) {
  pass_until(now + 1);
}

Faults L1PrivateLt::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (!out_.empty() || turn_.txn != nullptr) blame("accesses wait for their link");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " fetches were never released");
  return faults;
}

}  // namespace strata
