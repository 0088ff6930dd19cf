#include "models/l1/l1_pipeline.h"

#include <algorithm>
#include <utility>

#include "models/tlm/fill_request.h"

namespace strata {
namespace {

// The most that one request to the LLC asks for.
std::uint64_t request_bytes(const L1Params& params, const BuildContext& context) {
  const std::uint64_t line = context.map.line_bytes();
  return params.request_bytes == 0 ? line : std::min<std::uint64_t>(line, params.request_bytes);
}

bool is_answered(const L1Decision& decision) {
  return decision.outcome == L1Outcome::hit || decision.outcome == L1Outcome::kept;
}

}  // namespace

L1Pipeline::L1Pipeline(sc_core::sc_module_name module_name, CacheDesign& design, Bytes line,
                       QueuedAccessesIf* queues, const BuildContext& context)
    : Block(module_name, context.clock, 2, context.place_as(Role::l1)),
      design_(design),
      queues_(queues),
      accounts_(design),
      places_(*this),
      latency_(static_cast<Cycle>(design.params().hit_latency())),
      miss_latency_(static_cast<Cycle>(design.params().miss_latency)),
      port_cycles_(static_cast<Cycle>(design.params().port_cycles)),
      keeps_local_(design.params().local == L1Params::Local::write_back),
      request_sectors_(static_cast<std::uint8_t>(request_bytes(design.params(), context) / sector_bytes)),
      data_(L1Data::make(context.clock.carries_data(), name(), design, line.count, noc)),
      prefetches_(L1Prefetches::make(design, accounts_.fills, line, context.clock.places())),
      banks_(design.params(), line),
      behind_banks_(design.params(), line),
      pool_(&context.clock.places(), context.late_attributes()) {
  const bool splits = line > request_bytes(design.params(), context);
  if (splits) accounts_.split_accesses();
  if (splits || design.params().bank_mshrs != 0) parts_.resize(static_cast<std::size_t>(design.fetches()));
  touches_first(send_unit, &accounts_);
  touches_first(reply_unit, &fills_);
  if (prefetches_ == nullptr)
    visited_by<L1Pipeline, &L1Pipeline::visit>(send_unit);
  else
    visited_by<L1Pipeline, &L1Pipeline::visit_prefetching>(send_unit);
  visited_by<L1Pipeline, &L1Pipeline::reply>(reply_unit);
}

void L1Pipeline::end_of_elaboration() {
  hits_wait_ = sm.answers_network();
  places_.find_link(noc);
}

void L1Pipeline::advance(Cycle now, int unit) {
  if (unit == reply_unit) return reply(now);
  prefetches_ == nullptr ? visit(now) : visit_prefetching(now);
}

void L1Pipeline::visit(Cycle now) {
  if (waiting_ != 0) queues_ != nullptr ? drain(now) : retry_held(now);
  send(now);
}

// ---- intake ----

Accept L1Pipeline::request(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  access.ready = at;
  if (queues_ != nullptr) return enter(access, at);
  if (port_busy(access, at)) return hold();  // what it finds is decided when its turn comes
  const L1Decision decision = take(txn, at);
  if (decision.outcome == L1Outcome::stall) {
    begin_stall(decision.stall, at);
    return hold();
  }
  if (is_answered(decision) && !hits_wait_) {
    const Cycle done = at + latency_;
    ++accounts_.stats.replies;
    access.ledger.charge_until(places_.pipeline, clock().ledger_at(done));
    return Accept::done(done);
  }
  if (is_answered(decision)) queue_hit(access, at);
  return Accept::taken(banks_.plain() ? at + 1 : at);
}

inline Accept L1Pipeline::hold() {
  ++waiting_;
  return Accept::held();
}

// The access that the port holds.
inline void L1Pipeline::retry_held(Cycle now) {
  Txn& txn = *sm.held();
  Access& access = txn.access();
  if (access.ready > now) return book(access.ready, send_unit);
  if (waits_for_ != L1Stall::none) return;  // it would stall again
  if (port_busy(access, now)) return;
  if (stall_ == L1Stall::none) access.ledger.charge_until(places_.port, clock().ledger_at(now));
  const L1Decision decision = take(txn, now);
  if (decision.outcome == L1Outcome::stall) return begin_stall(decision.stall, now);
  end_stall(now);
  --waiting_;
  sm.accept(now + 1);
  if (is_answered(decision)) queue_hit(access, now);
}

// Into the design's queues; at once to the cache when it is its turn.
Accept L1Pipeline::enter(Access& access, Cycle at) {
  ++waiting_;
  if (!queues_->enter(access)) return Accept::held();
  if (at > clock().now())
    book(at, send_unit);
  else
    drain(at);
  return Accept::taken(at + 1);
}

// The access of the design's queues whose turn it is; one that stalls stays the next.
void L1Pipeline::drain(Cycle now) {
  if (now < port_free_) {
    wait_for_port();
    return;
  }
  if (const Cycle next = queues_->earliest(); next > now) {
    if (next != never) book(next, send_unit);
    return;
  }
  Access& access = queues_->take(now);  // before the decision, which may link it into an MSHR's chain
  if (!banks_.plain() && wait_for_banks(access, now)) return queues_->put_back(access);
  if (stall_ == L1Stall::none) access.ledger.charge_until(places_.port, clock().ledger_at(now));
  const L1Decision decision = take(Txn::of(access), now);
  if (decision.outcome == L1Outcome::stall) {
    begin_stall(decision.stall, now);
    return queues_->put_back(access);
  }
  end_stall(now);
  --waiting_;
  if (is_answered(decision)) queue_hit(access, now);
  if (sm.holding() && queues_->enter(sm.held()->access())) sm.accept(now + 1);
  if (queued() != 0) book(std::max(now + 1, port_free_), send_unit);
}

inline bool L1Pipeline::port_busy(const Access& access, Cycle now) {
  return now < port_free_ ? wait_for_port() : !banks_.plain() && wait_for_banks(access, now);
}

bool L1Pipeline::wait_for_port() {
  if (port_free_ != never) book(port_free_, send_unit);
  return true;
}

bool L1Pipeline::wait_for_banks(const Access& access, Cycle now) {
  const Cycle free = banks_.free(access.line, access.sectors);
  if (free > now) book(free, send_unit);
  return free > now || behind_banks_.full(access.line, access.sectors);
}

void L1Pipeline::occupy(Address line, std::uint8_t sectors, Cycle now, Cycle more_cycles) {
  port_free_ = now + more_cycles + (banks_.plain() ? port_cycles_ : 0);
  if (!banks_.plain()) banks_.occupy(line, sectors, now);
}

// ---- lookup ----

// Decide in cycle `now` and start whatever must go to the LLC. An access that waits for a fill belongs to the
// design from here on.
inline L1Decision L1Pipeline::take(Txn& txn, Cycle now) {
  Access& access = txn.access();
  const L1Decision decision =
      prefetches_ == nullptr ? design_.lookup(access, now, accounts_.room()) : lookup_observed(access, now);
  if (decision.outcome == L1Outcome::stall) return decision;
  if (keeps_local_ && decision.outcome == L1Outcome::forward) send_write_backs(access.ledger.mark(), now);
  if (data_ != nullptr) data_->decided(txn, decision.outcome);
  count(access, decision.outcome, now);
  occupy(access.line, access.sectors, now, decision.more_cycles);
  const Cycle ledger = clock().ledger_at(now);
  access.ledger.charge_until(stall_ == L1Stall::none ? places_.port : places_.of(stall_), ledger);
  if (decision.outcome == L1Outcome::miss_new)
    request_fill(access, decision, now + miss_latency_);
  else if (decision.outcome == L1Outcome::forward)
    forward(access, now + miss_latency_);
  if (keeps_local_) send_write_backs(ledger, now);
  return decision;
}

L1Decision L1Pipeline::lookup_observed(Access& access, Cycle now) {
  prefetches_->expect(access);
  const L1Decision decision = design_.lookup(access, now, accounts_.room());
  if (decision.outcome == L1Outcome::stall) return decision;
  prefetches_->decided(access, decision.outcome, accounts_.stats.textures);
  if (may_prefetch()) book(now + 1, send_unit);
  return decision;
}

inline void L1Pipeline::count(const Access& access, L1Outcome outcome, Cycle now) {
  if (outcome == L1Outcome::kept)
    accounts_.count_kept();
  else if (accounts_.stats.textures && takes_texture_path(access))
    accounts_.count_texture(access, outcome, now);
  else
    accounts_.count(access, outcome, now);
}

inline void L1Pipeline::begin_stall(L1Stall stall, Cycle now) {
  waits_for_ = stall;
  if (stall_ != L1Stall::none) return;
  stall_ = stall;
  stalled_since_ = now;
}

inline void L1Pipeline::end_stall(Cycle now) {
  if (stall_ != L1Stall::none) accounts_.count_stall(stall_, now - stalled_since_);
  stall_ = L1Stall::none;
}

// ---- requests to the LLC ----

inline void L1Pipeline::request_fill(Access& access, const L1Decision& decision, Cycle ready) {
  accounts_.fills.begin(decision.fetch, access);
  const PartMask named = decision.parts;
  if (!parts_.empty() && is_large(decision.sectors)) {
    parts_[static_cast<std::size_t>(decision.fetch)].to_come =
        queue_parts(access, decision.sectors, named, decision.fetch, ready);
    return;
  }
  Access& request =
      make_fill_request(pool_, access, access.access_class, access.line, decision.sectors, decision.fetch)
          .access();
  if (named != 0) request.ask_parts(named);
  queue_request(request, ready);
}

void L1Pipeline::forward(Access& access, Cycle ready) {
  ++passing_count_;
  if (!behind_banks_.none() && access.bypass_l1) ready -= miss_latency_ - 1U;  // past the banks
  if (!parts_.empty() && is_large(access.sectors)) {
    access.tag = static_cast<std::uint16_t>(queue_parts(access, access.sectors, 0, part, ready));
    return;
  }
  access.push_route(passing);
  queue_request(access, ready);
}

// A request for each part that an access, or what it fetches, touches. Returns how many.
int L1Pipeline::queue_parts(Access& access, std::uint8_t sectors, PartMask named, int route, Cycle ready) {
  int parts = 0;
  Address line = access.line;
  const auto request_parts = static_cast<unsigned>(request_sectors_) * (sector_bytes / part_bytes);
  for (unsigned rest = sectors; rest != 0; rest >>= request_sectors_) {
    const auto here = static_cast<std::uint8_t>(rest & ((1U << request_sectors_) - 1));
    if (here != 0) {
      Txn& txn = make_fill_request(pool_, access, access.access_class, line, here, route);
      if (data_ != nullptr && carries_request_data(access.access_class)) copy_bytes(Txn::of(access), txn);
      if (access.access_class == AccessClass::atomic)
        txn.access().lanes =
            access.lanes.part(static_cast<unsigned>((line - access.line) / sector_bytes), request_sectors_);
      if (named != 0) txn.access().ask_parts(named & ((1U << request_parts) - 1));
      if (data_ != nullptr && route == written_back) data_->is_under_way(txn);
      queue_request(txn.access(), ready);
      ++parts;
    }
    named = static_cast<PartMask>(named >> request_parts);
    line += static_cast<unsigned>(request_sectors_) * sector_bytes;
  }
  accounts_.count_parts(parts);
  return parts;
}

inline void L1Pipeline::queue_request(Access& access, Cycle ready) {
  access.ready = ready;
  if (!behind_banks_.none() && !access.bypass_l1 && !access.prefetch) {
    behind_banks_.push(access);
    return book(ready, send_unit);
  }
  if (requests_.empty() && !noc.blocked()) book(std::max(ready, noc_free_), send_unit);
  requests_.push(access);
}

inline void L1Pipeline::send(Cycle now) {
  if (!behind_banks_.none())
    if (const Cycle next = behind_banks_.feed(requests_, now); next != never && !noc.blocked())
      book(next, send_unit);
  if (requests_.empty() || noc.blocked()) return;
  const Cycle due = std::max(requests_.front().ready, noc_free_);
  if (due > now) return book(due, send_unit);
  Access& access = requests_.pop();
  access.ledger.charge_split_until(places_.pipeline, miss_latency_, places_.miss_queue,
                                   clock().ledger_at(now));
  if (prefetch_requests_ == 0)
    ++accounts_.room_left;
  else
    --prefetch_requests_;
  if (waits_for_ == L1Stall::miss_queue) waits_for_ = L1Stall::none;
  access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept = noc.send_now(txn, now);
  if (accept.is_done()) {
    noc_free_ = now + 1;
    access.ledger.charge_until(places_.external, clock().ledger_at(accept.at));
    response(txn, 0, std::max(accept.at, now + 1));
  } else if (accept.is_taken()) {
    noc_free_ = std::max(accept.at, now + 1);
  }
  if (waiting_ != 0 || (!requests_.empty() && !noc.blocked()))
    book(std::max(now + 1, noc.blocked() ? 0 : noc_free_), send_unit);
}

void L1Pipeline::request_unblocked(int, Cycle at) {
  noc_free_ = at;
  if (!requests_.empty() || behind_banks_.waiting() != 0 || may_prefetch())
    book(requests_.empty() ? at : std::max(requests_.front().ready, at), send_unit);
}

// ---- prefetches ----

void L1Pipeline::visit_prefetching(Cycle now) {
  visit(now);
  prefetch(now);
}

// The one that waits longest, in a cycle in which no access needs the port, the miss queue or the link. The
// request then leaves before that of any access that comes later.
void L1Pipeline::prefetch(Cycle now) {
  if (!prefetches_->wants() || !flushes_.empty()) return;
  if (waiting_ != 0 || port_free_ == never || noc.blocked()) return;  // it is woken when that is over
  const bool queued = !requests_.empty() || behind_banks_.waiting() != 0;
  const Cycle behind = !queued ? 0 : std::max(now, requests_.due() == never ? now : requests_.due()) + 1;
  const Cycle free = std::max({port_free_, noc_free_, behind});
  if (free > now) return book(free, send_unit);
  L1Decision decision;
  const Cycle ledger = clock().ledger_at(now);
  Txn* const txn = prefetches_->lookup(now, ledger, decision);
  if (decision.outcome == L1Outcome::stall) return;  // until a fill
  if (txn != nullptr) {
    if (data_ != nullptr) data_->decided(*txn, decision.outcome);
    accounts_.count_prefetch();
    const int room = accounts_.room_left;
    request_fill(txn->access(), decision, now + miss_latency_);
    prefetch_requests_ = requests_.size();
    accounts_.room_left = room;
    if (keeps_local_) send_write_backs(ledger, now);
  }
  if (prefetches_->wants()) book(now + 1, send_unit);
}

// ---- fills ----

// A reply of the LLC: its head flit is here in cycle `at`, its data later.
Accept L1Pipeline::response(Txn& txn, int, Cycle at) {
  Access& reply = txn.access();
  const int fetch = reply.pop_route();
  if (fetch >= 0 && fetch < design_.fetches()) {
    design_.expect_fill(reply.line, fetch);
    prefetch_waiter(txn);
  }
  const Cycle whole = noc.tail(at, reply.flits);
  reply.ledger.charge_until(places_.reply_link, clock().ledger_at(at));
  const Cycle ledger = clock().ledger_at(whole);
  reply.ledger.charge_until(places_.reply_serial, ledger);
  ++accounts_.stats.replies_from_llc;
  if (fetch == passing) {
    --passing_count_;
    queue_reply(reply, whole + 1);
  } else if (keeps_local_ && fetch == written_back) {
    write_back_answered(txn);
  } else if (fetch == part) {
    Access* const access = end_part(txn);
    pool_.release(txn);
    if (access != nullptr) {
      --passing_count_;
      queue_reply(*access, whole + 1);
    }
  } else if (!parts_.empty() && !is_last_part(txn, fetch)) {
    pool_.release(txn);
  } else {
    ++accounts_.stats.fills;
    accounts_.fills.end(fetch);
    waits_for_ = L1Stall::none;
    AccessFifo waiters = prefetches_ == nullptr ? design_.fill(fetch) : prefetches_->fill(fetch, txn);
    if (keeps_local_) send_write_backs(ledger, at);  // with bytes that are still here
    if (data_ != nullptr) data_->filled(txn, waiters);
    if (prefetches_ != nullptr) {
      waiters = prefetches_->end_own(waiters);
      end_flushes();
    }
    serve_waiters(waiters, txn, places_.merge, ledger,
                  [&](Access& waiter) { queue_reply(waiter, whole + 1); });
    pool_.release(txn);
    if (waiting_ != 0 || may_prefetch()) book(at + 1, send_unit);
  }
  return Accept::taken(at + 1);
}

bool L1Pipeline::is_last_part(Txn& reply, int fetch) {
  if (!reply.access().prefetch) behind_banks_.answered();
  Parts& parts = parts_[static_cast<std::size_t>(fetch)];
  if (reply.access().failed != 0) parts.status = reply.get_response_status();
  if (data_ != nullptr) data_->came(reply);
  if (parts.to_come > 1) {
    --parts.to_come;
    return false;
  }
  if (parts.status != tlm::TLM_OK_RESPONSE) reply.set_response_status(parts.status);
  parts = {};
  return true;
}

Access* L1Pipeline::end_part(Txn& reply) {
  Access& access = *reply.cause();
  if (data_ != nullptr) {
    copy_bytes(reply, Txn::of(access));
    end_enables(reply);
  }
  if (reply.access().failed != 0) Txn::of(access).set_response_status(reply.get_response_status());
  if (--access.tag != 0) return nullptr;
  access.ledger.absorb(reply.access().ledger);
  return &access;
}

// ---- replies to the SM ----

void L1Pipeline::queue_hit(Access& access, Cycle now) {
  access.ready = now + latency_;
  late_hits_.push(access);
  if (hits_wait_ && static_cast<Cycle>(late_hits_.size()) >= latency_) port_free_ = never;
  book(access.ready, reply_unit);
}

// In cycle `ready` or when those before it have left.
inline void L1Pipeline::queue_reply(Access& access, Cycle ready) {
  access.ready = ready;
  if (fills_.empty() && !sm.response_blocked()) book(std::max(ready, reply_free_), reply_unit);
  fills_.push(access);
}

inline void L1Pipeline::book_reply() {
  const Cycle next = std::min(fills_.due(), late_hits_.due());
  if (next != never) book_again(std::max(next, reply_free_), reply_unit);
}

void L1Pipeline::reply(Cycle now) {
  if (sm.response_blocked()) return;
  const Cycle filled = fills_.due(), hit = late_hits_.due();
  if (std::max(std::min(filled, hit), reply_free_) > now) return book_reply();
  const bool late = hit < filled;
  Access& access = late ? late_hits_.pop() : fills_.pop();
  if (late && port_free_ == never) {
    port_free_ = now + 1;
    if (waiting_ != 0 || may_prefetch()) book(port_free_, send_unit);
  }
  access.ledger.charge_until(late ? places_.pipeline : places_.fill, clock().ledger_at(now));
  ++accounts_.stats.replies;
  access.flits = 1;
  const Accept accept = sm.respond_now(Txn::of(access), now);
  if (accept.is_held()) return;
  reply_free_ = std::max(accept.at, now + 1);
  book_reply();
}

void L1Pipeline::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at, reply_unit);
}

// ---- write-backs and flushes ----

void L1Pipeline::begin_flush(LineFlushDoneIf& done, int id) {
  ++accounts_.stats.flushes;
  waits_for_ = L1Stall::none;
  ++accounts_.stats.replies;
  design_.flush();
  if (accounts_.watch != nullptr) accounts_.watch->flushed();
  if (data_ != nullptr && accounts_.stats.writes_back) data_->flushed();
  if (prefetches_ != nullptr) prefetches_->unit().flush();
  if (!may_end_flush()) return flushes_.push_back({&done, id});
  done.lines_flushed(id);
}

void L1Pipeline::begin_flush_of_some(LineFlushDoneIf& done, int id) {
  design_.write_back_all();
  send_write_backs(clock().ledger_now(), clock().now());
  begin_flush(done, id);
}

void L1Pipeline::begin_kernel(std::uint64_t shared_bytes) {
  design_.share(shared_bytes);
  waits_for_ = L1Stall::none;
  send_write_backs(clock().ledger_now(), clock().now());
}

void L1Pipeline::send_write_backs(Cycle ledger, Cycle now) {
  for (L1WriteBack out; design_.take_write_back(out);) {
    Txn& txn = pool_.make(AccessClass::store, out.line, out.sectors, ledger);
    Access& access = txn.access();
    access.sm = out.writer.sm;
    access.cluster = out.writer.cluster;
    access.warp = out.writer.warp;
    access.application = out.writer.application;
    access.cta = out.writer.cta;
    access.kernel = out.writer.kernel;
    access.pc = out.writer.pc;
    access.non_coherent = access.bypass_l1 = access.prefetch = false;
    accounts_.count_write_back();
    if (data_ != nullptr) data_->leaves(txn);
    if (parts_.empty() || !is_large(out.sectors)) {
      ++write_backs_;
      access.push_route(written_back);
      if (data_ != nullptr) data_->is_under_way(txn);
      queue_request(access, now + miss_latency_);
      continue;
    }
    write_backs_ += queue_parts(access, out.sectors, 0, written_back, now + miss_latency_);
    if (data_ != nullptr) end_enables(txn);
    pool_.release(txn);
  }
}

void L1Pipeline::write_back_answered(Txn& reply) {
  if (reply.access().failed != 0)
    SC_REPORT_ERROR(name(), ("error response: " + reply.get_response_string()).c_str());
  if (data_ != nullptr) data_->was_written(reply);
  pool_.release(reply);
  --write_backs_;
  end_flushes();
}

void L1Pipeline::end_flushes() {
  if (flushes_.empty() || !may_end_flush()) return;
  if (may_prefetch()) book(clock().now() + 1, send_unit);
  for (const Flush& waiting : std::exchange(flushes_, {})) waiting.done->lines_flushed(waiting.id);
}

// ---- the rest ----

unsigned L1Pipeline::debug(tlm::tlm_generic_payload& payload, int) {
  if (data_ != nullptr && payload.is_write()) data_->poked(payload);
  const unsigned moved = noc.debug(payload);
  if (data_ != nullptr && accounts_.stats.writes_back && payload.is_read()) data_->peeked(payload);
  return moved;
}

Faults L1Pipeline::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (const int left = accounts_.fills.count(); left != 0)
    blame(std::to_string(left) + " lines are still being fetched");
  if (const int left = requests_.size() + behind_banks_.waiting(); left != 0)
    blame(std::to_string(left) + " requests wait in the miss queue");
  if (write_backs_ != 0) blame(std::to_string(write_backs_) + " write-backs were never answered");
  if (passing_count_ != 0) blame(std::to_string(passing_count_) + " forwarded accesses were never answered");
  if (!fills_.empty() || !late_hits_.empty()) blame("replies to the SM wait");
  if (sm.holding()) blame("an access is held back");
  if (queued() != 0) blame(std::to_string(queued()) + " accesses wait for the cache");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  if (prefetches_ != nullptr) prefetches_->append_faults(blame);
  return faults;
}

std::vector<WaitNote> L1Pipeline::waits() const {
  std::vector<WaitNote> notes;
  if (sm.holding()) notes.push_back({"access held back", name(), 1, 1, &sm.held()->access()});
  if (queued() != 0) notes.push_back({"queues in front of the cache", name(), queued(), 0, nullptr});
  if (!requests_.empty())
    notes.push_back(
        {"miss queue", noc.peer(), requests_.size(), design_.params().miss_queue, &requests_.front()});
  if (const FillsInFlight& fills = accounts_.fills; fills.count() != 0)
    notes.push_back({"MSHRs", noc.peer(), fills.count(), fills.capacity(), fills.oldest()});
  if (sm.response_blocked())
    notes.push_back({"replies to the SM", "", fills_.size() + late_hits_.size(), 0, nullptr});
  return notes;
}

}  // namespace strata
