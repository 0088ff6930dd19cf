#include "models/dcl1_node/dcl1_pipeline.h"

#include <algorithm>

#include "models/tlm/fill_request.h"
#include "models/tlm/packet_tail.h"

namespace strata {
namespace {

// Of a waiter that is answered from its MSHR, in its tag.
constexpr std::uint16_t last_of_mshr = 1;

bool passes_the_cache(AccessClass access_class) {
  return access_class == AccessClass::instruction || access_class == AccessClass::texture ||
         access_class == AccessClass::constant;
}

}  // namespace

DcL1Pipeline::DcL1Pipeline(sc_core::sc_module_name module_name, CacheDesign& design, Bytes line,
                           const DcL1Queues& queues, QueuedAccessesIf* behind_q1, const BuildContext& context)
    : Block(module_name, context.clock, 1, context.place_as(Role::l1)),
      cache_(design),
      accounts_(design),
      queues_(queues),
      latency_(static_cast<Cycle>(design.params().hit_latency())),
      miss_latency_(static_cast<Cycle>(design.params().miss_latency)),
      port_cycles_(static_cast<Cycle>(design.params().port_cycles)),
      latency_ledger_(context.clock.ledger_cycles(latency_)),
      miss_latency_ledger_(context.clock.ledger_cycles(miss_latency_)),
      places_(*this),
      requests_(behind_q1),
      kept_mshrs_(queues.fill_until == DcL1Queues::FillUntil::installed ? design.mshrs() : nullptr),
      banks_(design.params(), line),
      pool_(&context.clock.places(), context.late_attributes()),
      data_(L1Data::make(context.clock.carries_data(), name(), design, line.count, noc)) {
  if (kept_mshrs_ != nullptr) accounts_.reply_later();
}

void DcL1Pipeline::end_of_elaboration() {
  places_.find_links(sm, noc);
}

void DcL1Pipeline::advance(Cycle now, int) {
  fill(now);
  collect(now);
  reply(now);
  if (requests_.sorts()) sort(now);
  if (can_serve(now)) serve(now);
  while (!banks_.plain() && can_serve(now)) serve(now);
  if (requests_.sorts()) sort(now);  // into the places of those that have left
  send(now);
  if (const Cycle next = next_event(now); next != never) book(std::max(next, now + 1));
}

Cycle DcL1Pipeline::next_event(Cycle now) const {
  Cycle next = never;
  const auto at = [&next](Cycle cycle) { next = std::min(next, cycle); };
  if (installing_ && head_is_over()) at(now + 1);
  if (!fills_.empty() && !installing_) at(fills_.front().ready);
  if (reply_room() && !waiters_.empty()) at(waiters_.front().ready);
  if (reply_room() && !passed_.empty()) at(passed_.front().ready);
  if (reply_room() && !hits_.empty()) at(hits_.front().ready);
  if (!replies_.empty() && !sm.response_blocked()) at(std::max(reply_free_, now + 1));
  if (may_serve()) at(std::max(requests_.earliest(), port_free()));
  if (requests_.sorts()) at(requests_.next_sorted(now));
  if (!misses_.empty() && !noc.blocked()) at(std::max(misses_.front().ready, noc_free_));
  return next;
}

// ---- Q1 and the cache ----

// The head flit is here in cycle `at`; the access may meet the cache when all of it is.
Accept DcL1Pipeline::request(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  const Cycle whole = charge_tail(sm, clock(), access, at, places_.request_link, places_.request_serial);
  access.ready = whole;
  if (requests_.size() >= queues_.request) {
    request_came_ = at;
    return Accept::held();
  }
  enter(access, whole);
  return Accept::taken(at + 1);
}

void DcL1Pipeline::enter(Access& access, Cycle at) {
  requests_.push(access);
  book(at);
}

bool DcL1Pipeline::may_serve() const {
  return requests_.anyone_waits() && static_cast<Cycle>(hits_.size()) < latency_ &&
         (stall_ == L1Stall::none || try_again_);
}

L1Decision DcL1Pipeline::decide(Access& access, Cycle now) {
  if (!passes_the_cache(access.access_class)) return cache_.lookup(access, now, accounts_.room());
  if (!accounts_.room()) return {L1Outcome::stall, L1Stall::miss_queue};
  return {L1Outcome::forward};
}

void DcL1Pipeline::serve(Cycle now) {
  Access& access = requests_.take(now);  // before the decision, which may link it into an MSHR's chain
  const Address line = access.line;      // a decision may give it away
  const std::uint8_t sectors = access.sectors;
  if (requests_.sorts() && !banks_.plain() && banks_.free(line, sectors) > now) {
    port_free_ = banks_.free(line, sectors);
    return requests_.put_back(access);
  }
  try_again_ = false;
  const L1Decision decision = decide(access, now);
  if (stall_ == L1Stall::none) access.ledger.charge_until(places_.queue, clock().ledger_at(now));
  if (decision.outcome == L1Outcome::stall) {
    if (stall_ == L1Stall::none) {
      stall_ = decision.stall;
      stalled_since_ = now;
    }
    return requests_.put_back(access);
  }
  if (stall_ != L1Stall::none) {
    access.ledger.charge_until(places_.of(stall_), clock().ledger_at(now));
    accounts_.count_stall(stall_, now - stalled_since_);
    stall_ = L1Stall::none;
  }
  if (data_ != nullptr) data_->decided(Txn::of(access), decision.outcome);
  if (!banks_.plain()) banks_.occupy(line, sectors, now);
  port_free_ = now + decision.more_cycles + (banks_.plain() ? port_cycles_ : 0);
  accounts_.count(access, decision.outcome, now);
  if (requesters_ != nullptr) requesters_->count(access, decision.outcome);
  follow(access, decision, now);
  if (!requests_.sorts()) admit(now);
}

// Accesses that are here pass from Q1 into the design's own queues, as far as these have room.
void DcL1Pipeline::sort(Cycle now) {
  if (requests_.sort(now)) admit(now);
}

// Q1 has room for the one that the link holds.
void DcL1Pipeline::admit(Cycle now) {
  if (!sm.holding()) return;
  Access& held = sm.held()->access();
  enter(held, std::max(held.ready, now + 1));
  sm.accept(std::max(now, request_came_) + 1);
}

// An access that waits for a fetch belongs to the design from here on.
void DcL1Pipeline::follow(Access& access, const L1Decision& decision, Cycle now) {
  if (decision.outcome == L1Outcome::hit) {
    access.ready = now + latency_;
    hits_.push(access);
  } else if (decision.outcome == L1Outcome::miss_new) {
    Txn& request =
        make_fill_request(pool_, access, access.access_class, access.line, decision.sectors, decision.fetch);
    accounts_.fills.begin(decision.fetch, access);
    if (decision.parts != 0) request.access().ask_parts(decision.parts);
    queue_request(request.access(), now + miss_latency_);
  } else if (decision.outcome == L1Outcome::forward) {
    access.push_route(passing);
    ++passing_count_;
    queue_request(access, now + miss_latency_);
  }
}

// ---- Q3 ----

void DcL1Pipeline::queue_request(Access& access, Cycle ready) {
  access.ready = ready;
  misses_.push(access);
}

void DcL1Pipeline::send(Cycle now) {
  if (misses_.empty() || noc.blocked() || std::max(misses_.front().ready, noc_free_) > now) return;
  Access& access = misses_.pop();
  access.ledger.charge_split_until(places_.pipeline, miss_latency_ledger_, places_.miss_queue,
                                   clock().ledger_at(now));
  ++accounts_.room_left;
  try_again_ = true;
  access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept = noc.send(txn);
  if (accept.is_done()) {  // by a module of others: no network answers at once
    noc_free_ = now + 1;
    access.ledger.charge_until(places_.external, clock().ledger_at(accept.at));
    ++accounts_.stats.replies_from_llc;
    access.ready = std::max(accept.at, now + 1);
    fills_.push(access);
  } else if (accept.is_taken()) {
    noc_free_ = std::max(accept.at, now + 1);
  }
}

void DcL1Pipeline::request_unblocked(int, Cycle at) {
  noc_free_ = at;
  book(at);
}

// ---- Q4 ----

Accept DcL1Pipeline::response(Txn& txn, int, Cycle at) {
  Access& reply = txn.access();
  const Cycle whole = charge_tail(noc, clock(), reply, at, places_.reply_link, places_.reply_serial);
  ++accounts_.stats.replies_from_llc;
  reply.ready = whole;
  if (filling() >= queues_.fill) {
    reply_came_ = at;
    return Accept::held();
  }
  fills_.push(reply);
  book(whole);
  return Accept::taken(at + 1);
}

// The reply at the head is installed when it is whole, and is over when its last waiter has left, or at once.
void DcL1Pipeline::fill(Cycle now) {
  if (installing_ && head_is_over()) {
    installing_ = false;
    if (noc.holding()) {
      Access& held = noc.held()->access();
      held.ready = std::max(held.ready, now + 1);
      fills_.push(held);
      noc.accept(std::max(now, reply_came_) + 1);
    }
  }
  if (installing_ || fills_.empty() || fills_.front().ready > now) return;
  installing_ = true;
  install(fills_.pop(), now);
}

void DcL1Pipeline::install(Access& reply, Cycle now) {
  const Cycle ledger = clock().ledger_at(now);
  reply.ledger.charge_until(places_.fill, ledger);
  const int fetch = reply.pop_route();
  if (fetch == passing) {
    --passing_count_;
    reply.ready = now + 1;
    return (kept_mshrs_ == nullptr ? waiters_ : passed_).push(reply);
  }
  ++accounts_.stats.fills;
  Txn& txn = Txn::of(reply);
  const int in_use = kept_mshrs_ == nullptr ? 0 : kept_mshrs_->in_use();
  accounts_.fills.end(fetch);
  const AccessFifo waiters = cache_.fill(fetch);
  if (data_ != nullptr) data_->filled(txn, waiters);
  Access* last = nullptr;
  serve_waiters(waiters, txn, places_.merge, ledger, [&](Access& access) {
    access.ready = now + 1;
    access.tag = 0;
    waiters_.push(access);
    last = &access;
  });
  pool_.release(txn);
  try_again_ = true;
  if (kept_mshrs_ != nullptr && last != nullptr && kept_mshrs_->in_use() < in_use) keep_mshr(*last);
}

// A fill has freed an MSHR from which waiters get their replies: no miss takes it before the last of them has
// left.
void DcL1Pipeline::keep_mshr(Access& last) {
  kept_mshrs_->reserve_one();
  ++replying_;
  last.tag = last_of_mshr;
}

void DcL1Pipeline::count_reply(const Access& waiter, Cycle now) {
  ++accounts_.stats.reply_holds;
  if (waiter.tag != last_of_mshr) return;
  kept_mshrs_->unreserve_one();
  --replying_;
  accounts_.stats.reply_hold_cycles += static_cast<std::uint64_t>(now + 1 - waiter.ready);
  try_again_ = true;
}

// ---- Q2 ----

// Whose front enters next: the one that was ready first, or, of those answered from MSHRs, of what has passed
// the cache and of hits, the next in turn. Null: none is ready.
AccessFifo* DcL1Pipeline::next_reply(Cycle now) {
  if (kept_mshrs_ == nullptr) {
    const Cycle hit = hits_.due(), waiter = waiters_.due();
    if (std::min(hit, waiter) > now) return nullptr;
    return hit < waiter ? &hits_ : &waiters_;
  }
  AccessFifo* const in_turn[] = {&waiters_, &passed_, &hits_};
  for (int step = 0; step < 3; ++step) {
    const int at = (turn_ + step) % 3;
    if (in_turn[at]->due() > now) continue;
    turn_ = at + 1;
    return in_turn[at];
  }
  return nullptr;
}

// One a cycle enters.
void DcL1Pipeline::collect(Cycle now) {
  AccessFifo* const from = reply_room() ? next_reply(now) : nullptr;
  if (from == nullptr) return;
  Access& access = from->pop();
  if (from == &waiters_ && kept_mshrs_ != nullptr) count_reply(access, now);
  if (from == &hits_)
    access.ledger.charge_split_until(places_.pipeline, latency_ledger_, places_.reply_port,
                                     clock().ledger_at(now));
  else
    access.ledger.charge_until(places_.fill, clock().ledger_at(now));
  replies_.push(access);
}

void DcL1Pipeline::reply(Cycle now) {
  if (replies_.empty() || sm.response_blocked() || reply_free_ > now) return;
  Access& access = replies_.pop();
  access.ledger.charge_until(places_.reply_port, clock().ledger_at(now));
  ++accounts_.stats.replies;
  access.flits = 1;
  const Accept accept = sm.respond(Txn::of(access));
  if (!accept.is_held()) reply_free_ = std::max(accept.at, now + 1);
}

void DcL1Pipeline::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at);
}

// ---- the rest ----

void DcL1Pipeline::begin_flush(LineFlushDoneIf& done, int id) {
  ++accounts_.stats.flushes;
  ++accounts_.stats.replies;
  cache_.flush();
  if (accounts_.watch != nullptr) accounts_.watch->flushed();
  try_again_ = true;
  book(clock().now());
  done.lines_flushed(id);
}

unsigned DcL1Pipeline::debug(tlm::tlm_generic_payload& payload, int) {
  if (data_ != nullptr && payload.is_write()) data_->poked(payload);
  return noc.debug(payload);
}

Faults DcL1Pipeline::check_idle() const {
  Faults faults;
  const auto blame = [&](int count, const char* what) {
    if (count != 0) faults.push_back({{name(), 0, 0}, std::to_string(count) + what});
  };
  blame(accounts_.fills.count(), " lines are still being fetched");
  blame(requests_.size() + requests_.sorted() + (sm.holding() ? 1 : 0), " accesses wait for the cache");
  blame(misses_.size(), " requests wait for the way to the LLC");
  blame(passing_count_, " forwarded accesses were never answered");
  blame(filling() + (noc.holding() ? 1 : 0), " replies of the LLC wait");
  blame(hits_.size() + waiters_.size() + passed_.size() + replies_.size(), " replies to cores wait");
  blame(replying_, " MSHRs are still kept for answers");
  blame(static_cast<int>(pool_.in_use()), " transactions were never released");
  return faults;
}

std::vector<WaitNote> DcL1Pipeline::waits() const {
  std::vector<WaitNote> notes;
  if (requests_.sorted() != 0)
    notes.push_back({"queues in front of the cache", name(), requests_.sorted(), 0, nullptr});
  if (requests_.size() != 0)
    notes.push_back({"Q1, from the cores", name(), requests_.size(), queues_.request, &requests_.front()});
  if (!replies_.empty())
    notes.push_back({"Q2, to the cores", sm.response_blocked() ? "the network to the cores" : "",
                     replies_.size(), queues_.reply, &replies_.front()});
  if (!misses_.empty())
    notes.push_back(
        {"Q3, to the LLC", noc.peer(), misses_.size(), cache_.params().miss_queue, &misses_.front()});
  if (filling() != 0)
    notes.push_back(
        {"Q4, from the LLC", name(), filling(), queues_.fill, fills_.empty() ? nullptr : &fills_.front()});
  if (replying_ != 0)
    notes.push_back({"MSHRs of lines that are here, for Q2", name(), replying_, kept_mshrs_->capacity(),
                     &waiters_.front()});
  if (const FillsInFlight& fills = accounts_.fills; fills.count() != 0)
    notes.push_back({"MSHRs", noc.peer(), fills.count(), fills.capacity(), fills.oldest()});
  return notes;
}

}  // namespace strata
