#include "models/l1/l1_private_at.h"

#include <algorithm>

namespace strata {
namespace {

Cause cause_of(L1Stall stall) {
  return stall == L1Stall::miss_queue ? Cause::l1_miss_queue : Cause::l1_mshr_full;
}

}  // namespace

L1PrivateAt::L1PrivateAt(sc_core::sc_module_name module_name, const L1PrivateParams& params,
                         const BuildContext& context)
    : Block(module_name, context.clock, 2),
      core_(params),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)) {}

Accept L1PrivateAt::request(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return flush(txn, at);
  if (at < port_free_) {  // it waits in front of the port: what it finds is decided when its turn comes
    book(port_free_, send_unit);
    return Accept::held();
  }
  const L1Decision decision = take(txn, at);
  if (decision.outcome == L1Outcome::hit) {
    const Cycle done = at + static_cast<Cycle>(core_.params().latency);
    ++core_.stats().replies;
    access.ledger.charge_until(Cause::l1_pipeline, clock().ledger_at(done));
    return Accept::done(done);
  }
  if (decision.outcome == L1Outcome::stall) {
    stall_ = decision.stall;
    stalled_since_ = at;
    return Accept::held();
  }
  return Accept::taken(at + 1);
}

// Decide in cycle `now` and start whatever must go to the LLC.
[[gnu::always_inline]] inline L1Decision L1PrivateAt::take(Txn& txn, Cycle now) {
  Access& access = txn.access();
  const L1PrivateParams& params = core_.params();
  const L1Decision decision = core_.begin(access, now);
  if (decision.outcome == L1Outcome::stall) return decision;
  port_free_ = now + static_cast<Cycle>(params.port_cycles);
  const Cycle ledger = clock().ledger_at(now);
  access.ledger.charge_until(stall_ == L1Stall::none ? Cause::l1_port : cause_of(stall_), ledger);
  const Cycle ready = now + static_cast<Cycle>(params.miss_latency);
  if (decision.outcome == L1Outcome::miss_new) {
    Txn& fetch = pool_.make(access.access_class, access.line, line_chunks_, access.ledger.mark());
    copy_identity(access, fetch.access());
    fetch.cause = &access;
    fetch.access().push_route(decision.mshr);
    queue_request(fetch.access(), ready);
  } else if (decision.outcome == L1Outcome::forward) {
    access.push_route(passing);
    ++passing_count_;
    queue_request(access, ready);
  }
  return decision;
}

void L1PrivateAt::queue_request(Access& access, Cycle ready) {
  access.ready = ready;
  if (requests_.empty() && !noc.blocked()) book(std::max(ready, noc_free_), send_unit);
  requests_.push(access);
}

void L1PrivateAt::advance(Cycle now, int unit) {
  if (unit == reply_unit) return reply(now);
  if (core.holding() && flush_ == nullptr) retry(now);
  send(now);
}

void L1PrivateAt::send(Cycle now) {
  if (requests_.empty() || noc.blocked()) return;
  const Cycle due = std::max(requests_.front().ready, noc_free_);
  if (due > now) return book(due, send_unit);
  Access& access = requests_.pop();
  const Cycle ledger = clock().ledger_at(now);
  access.ledger.charge_split_until(Cause::l1_pipeline, static_cast<Cycle>(core_.params().miss_latency),
                                   Cause::l1_miss_queue, ledger);
  core_.departed();
  access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept = noc.send(txn);
  if (accept.is_done()) {
    noc_free_ = now + 1;
    access.ledger.charge_until(Cause::foreign, clock().ledger_at(accept.at));
    response(txn, 0, std::max(accept.at, now + 1));
  } else if (accept.is_taken()) {
    noc_free_ = std::max(accept.at, now + 1);
  }
  if (core.holding() || (!requests_.empty() && !noc.blocked()))
    book(std::max(now + 1, noc.blocked() ? 0 : noc_free_), send_unit);
}

void L1PrivateAt::request_unblocked(int, Cycle at) {
  noc_free_ = at;
  if (!requests_.empty()) book(std::max(requests_.front().ready, at), send_unit);
}

// The access that is held: it waits for the port, or for what ends its stall.
void L1PrivateAt::retry(Cycle now) {
  if (now < port_free_) return book(port_free_, send_unit);
  Txn& txn = *core.held();
  if (stall_ == L1Stall::none) txn.access().ledger.charge_until(Cause::l1_port, clock().ledger_at(now));
  const L1Decision decision = take(txn, now);
  if (decision.outcome == L1Outcome::stall) {
    if (stall_ != L1Stall::none) return;
    stall_ = decision.stall;
    stalled_since_ = now;
    return;
  }
  if (stall_ != L1Stall::none) core_.count_stall(stall_, now - stalled_since_);
  stall_ = L1Stall::none;
  core.accept(now + 1);
  if (decision.outcome != L1Outcome::hit) return;
  Access& access = txn.access();
  access.ready = now + static_cast<Cycle>(core_.params().latency);
  late_hits_.push(access);
  book(access.ready, reply_unit);
}

// A reply of the LLC: its head flit is here in cycle `at`, its data flits - 1 cycles later.
Accept L1PrivateAt::response(Txn& txn, int, Cycle at) {
  Access& reply = txn.access();
  const Cycle whole = at + reply.flits - 1U;
  reply.ledger.charge_until(Cause::reply_link, clock().ledger_at(at));
  const Cycle ledger = clock().ledger_at(whole);
  reply.ledger.charge_until(Cause::reply_serial, ledger);
  ++core_.stats().replies_from_llc;
  const int mshr = reply.pop_route();
  if (mshr == passing) {
    --passing_count_;
    deliver(reply, whole + 1);
    return Accept::taken(at + 1);
  }
  AccessFifo waiters = core_.fill(mshr);
  bool first = true;
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    if (first)
      waiter.ledger.absorb(reply.ledger);
    else
      waiter.ledger.charge_until(Cause::l1_merge, ledger);
    first = false;
    if (reply.failed != 0) Txn::of(waiter).set_response_status(txn.get_response_status());
    deliver(waiter, whole + 1);
  }
  txn.release();
  if (core.holding()) book(at + 1, send_unit);
  if (flush_ != nullptr && core_.idle()) end_flush(whole + 1);
  return Accept::taken(at + 1);
}

void L1PrivateAt::deliver(Access& access, Cycle ready) {
  access.ready = ready;
  if (fills_.empty() && !core.response_blocked()) book(std::max(ready, reply_free_), reply_unit);
  fills_.push(access);
}

void L1PrivateAt::reply(Cycle now) {
  if (core.response_blocked()) return;
  const auto due = [](const AccessFifo& fifo) { return fifo.empty() ? never : fifo.front().ready; };
  const Cycle ready = std::min(due(fills_), due(late_hits_));
  if (ready == never) return;
  if (std::max(ready, reply_free_) > now) return book(std::max(ready, reply_free_), reply_unit);
  const bool late = due(late_hits_) < due(fills_);
  Access& access = late ? late_hits_.pop() : fills_.pop();
  const bool flushing = access.access_class == AccessClass::flush;
  access.ledger.charge_until(flushing ? Cause::reconfiguration
                             : late   ? Cause::l1_pipeline
                                      : Cause::l1_fill,
                             clock().ledger_at(now));
  ++core_.stats().replies;
  access.flits = 1;
  const Accept accept = core.respond(Txn::of(access));
  if (accept.is_held()) return;
  reply_free_ = std::max(accept.at, now + 1);
  const Cycle next = std::min(due(fills_), due(late_hits_));
  if (next != never) book(std::max(next, reply_free_), reply_unit);
}

void L1PrivateAt::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at, reply_unit);
}

Accept L1PrivateAt::flush(Txn& txn, Cycle at) {
  if (core_.idle()) {
    core_.flush();
    ++core_.stats().replies;
    txn.access().ledger.charge_until(Cause::reconfiguration, clock().ledger_at(at + 1));
    return Accept::done(at + 1);
  }
  flush_ = &txn;
  return Accept::held();
}

void L1PrivateAt::end_flush(Cycle ready) {
  Txn& txn = *flush_;
  flush_ = nullptr;
  core_.flush();
  core.accept(clock().now() + 1);
  deliver(txn.access(), ready + 1);
}

unsigned L1PrivateAt::debug(tlm::tlm_generic_payload& payload, int) {
  return noc.debug(payload);
}

Faults L1PrivateAt::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (core_.queued() != 0) blame(std::to_string(core_.queued()) + " requests wait in the miss queue");
  if (passing_count_ != 0) blame(std::to_string(passing_count_) + " forwarded accesses were never answered");
  if (!fills_.empty() || !late_hits_.empty()) blame("replies to the SM wait");
  if (core.holding()) blame("an access is held back");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  return faults;
}

std::vector<WaitNote> L1PrivateAt::waits() const {
  std::vector<WaitNote> notes;
  const MshrFile& mshrs = core_.mshrs();
  if (core.holding()) notes.push_back({"access held back", name(), 1, 1, &core.held()->access()});
  if (!requests_.empty())
    notes.push_back(
        {"miss queue", noc.peer(), requests_.size(), core_.params().miss_queue, &requests_.front()});
  if (!mshrs.empty())
    notes.push_back({"MSHRs", noc.peer(), mshrs.in_use(), mshrs.capacity(), mshrs.oldest()});
  if (core.response_blocked())
    notes.push_back({"replies to the SM", "", fills_.size() + late_hits_.size(), 0, nullptr});
  return notes;
}

}  // namespace strata
