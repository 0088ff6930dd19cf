#include "models/llc_slice/llc_slice.h"

#include <algorithm>
#include <cstdio>

#include "models/common/random_stream.h"
#include "models/tlm/fill_request.h"

namespace strata {

LlcSlice::LlcSlice(sc_core::sc_module_name module_name, const LlcSliceParams& params,
                   const BuildContext& context)
    : Block(module_name, context.clock, units, context.place_as(Role::llc)),
      core_(params, context.map, seed_of(context.seed, name())),
      pool_(&context.clock.places(), context.late_attributes()),
      reply_capacity_(
          static_cast<std::uint16_t>(params.reply_queue + params.latency - params.lookup_cycles())),
      pipe_capacity_(static_cast<std::uint16_t>(params.lookup_cycles() + params.request_queue)),
      lookup_(static_cast<std::uint16_t>(params.lookup_cycles())),
      rest_(static_cast<std::uint16_t>(params.latency - params.lookup_cycles())),
      lookup_ledger_(static_cast<std::uint32_t>(context.clock.ledger_cycles(lookup_))),
      rest_ledger_(static_cast<std::uint32_t>(context.clock.ledger_cycles(rest_))),
      places_(*this) {
  for (int unit = 0; unit < units; ++unit) touches_first(unit, &pipe_);
  visited_by<LlcSlice, &LlcSlice::decide>(pipe_unit);
  visited_by<LlcSlice, &LlcSlice::reply>(reply_unit);
  observed_ = context.clock.carries_data();
  if (observed_) data_ = std::make_unique<SliceData>(core_, mem);
  prefetches_ = LlcPrefetches::make(core_, context.map, context.clock.places());
  if (params.line != context.map.line_bytes())
    throw ConfigError(
        Faults{param_fault("line", "is " + to_text(params.line) + " but lines of the address map have " +
                                       to_text(Bytes(context.map.line_bytes())))});
}

void LlcSlice::end_of_elaboration() {
  places_.find_links(noc, mem);
  if (tracker.bound()) core_.watch_lines(&tracker->attach(core_.tags()));
}

// The head flit is here in cycle `at`; the request enters the pipeline with its last flit.
void LlcSlice::enter(Txn& txn, Cycle at) {
  Access& access = txn.access();
  const Cycle whole = noc.tail(at, access.flits);
  access.ledger.charge_until(places_.request_link, clock().ledger_at(at));
  if (whole != at) access.ledger.charge_until(places_.request_serial, clock().ledger_at(whole));
  entered_ = std::max(whole, entered_ + 1);
  access.ready = entered_ + lookup_;
  core_.expect(access.line);
  if (pipe_.empty()) book(access.ready, pipe_unit);
  pipe_.push(access);
}

Accept LlcSlice::request(Txn& txn, int, Cycle at) {
  if (is_full()) {
    txn.access().ready = at;
    ++core_.stats().held_requests;
    return Accept::held();
  }
  enter(txn, at);
  return Accept::taken(at + 1);
}

void LlcSlice::advance(Cycle now, int unit) {
  switch (unit) {
    case pipe_unit:
      return decide(now);
    case memory_unit:
      release_fill(now);
      send(now);
      if (prefetches_ != nullptr) prefetch(now);
      return;
    case reply_unit:
      return reply(now);
    default:
      return step_flush(now);
  }
}

void LlcSlice::decide(Cycle now) {
  if (pipe_.empty()) return;
  if (pipe_.front().ready > now) return book_again(pipe_.front().ready, pipe_unit);
  Access& access = pipe_.pop();  // before the decision, which may link it into an MSHR's chain
  if (observed_ && data_ != nullptr) data_->expect(access.line);
  const LlcDecision decision =
      prefetches_ == nullptr ? core_.begin(access, now, reply_room()) : begin_observed(access, now);
  if (decision.outcome == LlcOutcome::stall) {
    pipe_.push_front(access);
    return stall(access, decision.stall, now);
  }
  const Cycle ledger = clock().ledger_at(now);
  if (observed_) observe(access, decision, ledger);
  if (stall_ == LlcStall::none) {
    access.ledger.charge_split_until(places_.pipeline, lookup_ledger_, places_.queue, ledger);
  } else {
    access.ledger.charge_until(places_.of(stall_), ledger);
    core_.count_stall(stall_, now - stalled_since_);
    stall_ = LlcStall::none;
  }
  if (decision.outcome == LlcOutcome::hit && !decision.write && access.access_class != AccessClass::atomic)
    answer(access, now);
  else
    follow(access, decision, now);
  if (noc.holding()) {
    const Cycle at = std::max(now, noc.held()->access().ready);
    enter(*noc.held(), at);
    noc.accept(at + 1);
  }
  if (!pipe_.empty()) book_again(std::max(pipe_.front().ready, now + 1), pipe_unit);
  if (flushing()) book(now + 1, flush_unit);
}

LlcDecision LlcSlice::begin_observed(Access& access, Cycle now) {
  prefetches_->expect(access);
  const LlcDecision decision = core_.begin(access, now, reply_room());
  if (decision.outcome == LlcOutcome::stall) return decision;
  prefetches_->decided(access, decision.outcome);
  decided_ = now;
  if (may_prefetch()) book(now + 1, memory_unit);
  return decision;
}

// The one that waits longest, in a cycle in which no request is decided, and at the head of the way to
// memory.
void LlcSlice::prefetch(Cycle now) {
  if (!prefetches_->wants() || flushing() || stall_ != LlcStall::none || mem.blocked() || decided_ == now)
    return;  // it is woken when that is over
  if (!memory_.empty() || memory_free_ > now + 1) return book(std::max(now + 1, memory_free_), memory_unit);
  if (data_ != nullptr) data_->expect(prefetches_->unit().front().line);
  LlcDecision decision;
  Txn* const txn = prefetches_->lookup(clock().ledger_at(now), decision);
  if (decision.outcome == LlcOutcome::stall) return;  // until a fill, or a write that leaves
  if (txn != nullptr) {
    if (data_ != nullptr) data_->decided(*txn, false);
    fetch(txn->access(), decision, now);
    if (decision.write) write(decision.write, nullptr, now);
  }
  if (prefetches_->wants()) book(now + 1, memory_unit);
}

void LlcSlice::observe(Access& access, const LlcDecision& decision, Cycle ledger) {
  if (watch_ != nullptr) watch_->seen(access, ledger);
  if (data_ != nullptr)
    data_->decided(Txn::of(access),
                   decision.outcome == LlcOutcome::hit || decision.outcome == LlcOutcome::done);
}

// The data of a hit are here after the rest of the latency.
void LlcSlice::answer(Access& access, Cycle now) {
  if (rest_ != 0) return queue_reply(hits_, access, now + rest_);
  access.ready = now;
  hits_.push(access);
  if (!noc.response_blocked()) reply(now);
}

// An atomic whose lanes cost takes the pipeline for some cycles, whether it hits or not: who comes behind it
// is decided after them. Returns the last. What is added up without a result is answered without data.
Cycle LlcSlice::execute(Access& atomic, Cycle now) {
  if (core_.params().atomic_lanes_per_cycle == 0) return now;
  constexpr int sector_words = sector_bytes / word_bytes;
  if (atomic.reduces) atomic.spare_words = static_cast<std::uint8_t>(atomic.sector_count() * sector_words);
  const Cycle next = now + core_.execute(atomic);
  if (pipe_.empty())
    entered_ = std::max(entered_, next - 1 - lookup_);
  else
    pipe_.front().ready = std::max(pipe_.front().ready, next);
  return next - 1;
}

// What a decision starts. An access that waits for a fetch belongs to its MSHR from here on.
void LlcSlice::follow(Access& access, const LlcDecision& decision, Cycle now) {
  const Cycle executed = access.access_class == AccessClass::atomic ? execute(access, now) : now;
  if (decision.outcome == LlcOutcome::miss_new) {
    fetch(access, decision, now);
    if (decision.write) write(decision.write, nullptr, now);
  } else if (decision.outcome != LlcOutcome::miss_merged) {
    if (decision.write) write(decision.write, &access, now);
    if (executed == now) {
      answer(access, now);
    } else {
      access.ledger.charge_until(places_.pipeline, clock().ledger_at(executed));
      queue_reply(hits_, access, executed + rest_);
    }
  }
  if (core_.has_read_only_store()) report_read_only_store();
}

void LlcSlice::stall(Access& access, LlcStall reason, Cycle now) {
  const Cycle ledger = clock().ledger_at(now);
  if (stall_ == LlcStall::none) {
    access.ledger.charge_split_until(places_.pipeline, lookup_ledger_, places_.queue, ledger);
    stalled_since_ = now;
  } else {
    access.ledger.charge_until(places_.of(stall_), ledger);
  }
  stall_ = reason;
}

// Something was freed: look again at the head of the pipeline and at a flush.
void LlcSlice::retry(Cycle now) {
  if (stall_ != LlcStall::none) book(now + 1, pipe_unit);
  if (flushing()) book(now + 1, flush_unit);
  if (may_prefetch()) book(now + 1, memory_unit);
}

void LlcSlice::fetch(Access& access, const LlcDecision& decision, Cycle now) {
  const AccessClass access_class =
      carries_request_data(access.access_class) ? AccessClass::load : access.access_class;
  Txn& request = make_fill_request(pool_, access, access_class, core_.line_of(access.line), decision.sectors,
                                   decision.mshr);
  to_memory(request.access(), now);
}

void LlcSlice::write(const MemoryWrite& write, const Access* owner, Cycle now) {
  Txn& txn = pool_.make(AccessClass::writeback, write.line, write.sectors, clock().ledger_at(now));
  copy_identity(owner != nullptr ? *owner : Access{}, txn.access());
  txn.access().application = write.application;
  txn.access().prefetch = false;
  txn.access().push_route(write_route);
  ++writes_out_[application_place(write.application)];
  if (data_ != nullptr) data_->leaves(txn);
  to_memory(txn.access(), now);
}

void LlcSlice::to_memory(Access& access, Cycle now) {
  access.ready = now + 1;
  if (memory_.empty() && !mem.blocked()) book(std::max(now + 1, memory_free_), memory_unit);
  memory_.push(access);
}

void LlcSlice::send(Cycle now) {
  if (memory_.empty() || mem.blocked()) return;
  const Cycle due = std::max(memory_.front().ready, memory_free_);
  if (due > now) return book(due, memory_unit);
  Access& access = memory_.pop();
  access.ledger.charge_until(places_.memory_queue, clock().ledger_at(now));
  const bool departs = access.access_class == AccessClass::writeback;
  Txn& txn = Txn::of(access);
  const Accept accept = mem.send_now(txn, now);
  if (accept.is_taken()) memory_free_ = std::max(accept.at, now + 1);
  if (accept.is_done()) {
    memory_free_ = now + 1;
    access.ledger.charge_until(places_.external, clock().ledger_at(accept.at));
  }
  if (departs) {
    core_.write_departed();
    retry(now);
    if (mem.holding() || !completed_.empty()) book(now + 1, memory_unit);
  }
  if (accept.is_done() && response(txn, 0, std::max(accept.at, now + 1)).is_held()) completed_.push(access);
  if (!memory_.empty() && !mem.blocked()) book(memory_free_, memory_unit);
}

void LlcSlice::request_unblocked(int, Cycle at) {
  memory_free_ = at;
  if (!memory_.empty() || may_prefetch())
    book(memory_.empty() ? at : std::max(memory_.front().ready, at), memory_unit);
}

Accept LlcSlice::response(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  const int mshr = access.pop_route();
  if (mshr == write_route) {
    ++core_.stats().memory_write_acks;
    --writes_out_[application_place(access.application)];
    if (data_ != nullptr) data_->acknowledged(txn);
    if (access.failed != 0) SC_REPORT_ERROR(name(), ("write failed: " + txn.get_response_string()).c_str());
    pool_.release(txn);
    retry(at);
    return Accept::taken(at + 1);
  }
  if (!core_.can_fill(mshr)) {
    access.push_route(mshr);
    access.ready = at;
    ++core_.stats().held_fills;
    return Accept::held();
  }
  fill(txn, mshr, at);
  return Accept::taken(at + 1);
}

void LlcSlice::fill(Txn& txn, int mshr, Cycle at) {
  Access& line = txn.access();
  const Cycle ledger = clock().ledger_at(at);
  line.ledger.charge_until(places_.memory_bus, ledger);
  LlcFilled filled =
      prefetches_ == nullptr ? core_.fill(mshr, line.sectors) : prefetches_->fill(mshr, line.sectors, txn);
  if (data_ != nullptr) data_->filled(txn, filled.waiters);
  if (prefetches_ != nullptr) filled.waiters = prefetches_->end_own(filled.waiters);
  if (filled.victim) write(filled.victim, nullptr, at);
  if (filled.through) write(filled.through, &line, at);
  serve_waiters(filled.waiters, txn, places_.merge, ledger,
                [&](Access& waiter) { queue_reply(fills_, waiter, at + 1); });
  pool_.release(txn);
  if (core_.has_read_only_store()) report_read_only_store();
  retry(at);
}

// The first one is named; all are counted.
void LlcSlice::report_read_only_store() {
  Address line = 0;
  core_.take_read_only_store(line);
  if (core_.stats().read_only_stores != 1) return;
  char text[128];
  std::snprintf(
      text, sizeof text,
      "a store reaches line 0x%llx, which a load that should be read-only has brought: replicas of it "
      "may be stale",
      static_cast<unsigned long long>(line));
  SC_REPORT_WARNING(name(), text);
}

// A fill that was held because the write queue was full.
void LlcSlice::release_fill(Cycle now) {
  if (completed_.empty() && !mem.holding()) return;
  Access& access = completed_.empty() ? mem.held()->access() : completed_.front();
  const int mshr = access.pop_route();
  if (!core_.can_fill(mshr)) return access.push_route(mshr);
  const Cycle at = std::max(now, access.ready);
  if (completed_.empty()) {
    mem.accept(at + 1);
  } else {
    completed_.pop();
  }
  fill(Txn::of(access), mshr, at);
  if (mem.holding() || !completed_.empty()) book(now + 1, memory_unit);
}

void LlcSlice::queue_reply(AccessFifo& fifo, Access& access, Cycle ready) {
  access.ready = ready;
  if (fifo.empty() && !noc.response_blocked()) book(std::max(ready, reply_free_), reply_unit);
  fifo.push(access);
}

void LlcSlice::reply(Cycle now) {
  if (noc.response_blocked()) return;
  const Cycle hit = hits_.due(), fill = fills_.due();
  const Cycle ready = std::min(hit, fill);
  if (ready == never) return;
  if (std::max(ready, reply_free_) > now) return book_again(std::max(ready, reply_free_), reply_unit);
  const bool filled = fill < hit;
  Access& access = filled ? fills_.pop() : hits_.pop();
  access.ledger.charge_split_until(places_.pipeline, filled ? 0 : rest_ledger_, places_.reply_port,
                                   clock().ledger_at(now));
  ++core_.stats().replies;
  access.flits = 1;
  const Accept accept = noc.respond_now(Txn::of(access), now);
  if (stall_ == LlcStall::reply_queue) retry(now);
  if (accept.is_held()) return;
  reply_free_ = std::max(accept.at, now + 1);
  const Cycle next = std::min(hits_.due(), fills_.due());
  if (next != never) book_again(std::max(next, reply_free_), reply_unit);
}

void LlcSlice::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at, reply_unit);
}

// ---- flushes and the write policy ----

void LlcSlice::begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) {
  flush_done_ = &done;
  flush_id_ = id;
  flush_what_ = what;
  flush_whose_ = whose;
  if (prefetches_ != nullptr && what == LlcFlush::all) prefetches_->unit().flush();
  book(clock().now() + 1, flush_unit);
}

std::uint64_t LlcSlice::writes_out(ApplicationSet whose) const {
  std::uint64_t sum = 0;
  for (int a = 0; a < max_applications; ++a)
    if ((whose & only_application(a)) != 0) sum += writes_out_[static_cast<std::size_t>(a)];
  return sum;
}

void LlcSlice::set_write_through(ApplicationSet whose, bool through) {
  if (core_.dirty_lines(whose) != 0 || core_.fetches(whose) != 0) {
    SC_REPORT_ERROR(name(), "the write policy can change only while no line is dirty or being fetched");
    return;
  }
  core_.set_write_through(whose, through);
}

// One dirty line a cycle; finished when the lines that go are dropped and memory has acknowledged every
// write.
void LlcSlice::step_flush(Cycle now) {
  if (!flushing() || !may_flush()) return;
  if (!dropped_) {
    if (!core_.write_room()) return;
    MemoryWrite dirty;
    if (core_.flush_step(flush_what_, flush_whose_, dirty)) {
      write(dirty, nullptr, now);
      return book(now + 1, flush_unit);
    }
    dropped_ = true;
  }
  if (writes_out(flush_whose_) != 0) return;
  dropped_ = false;
  SliceFlushDoneIf& done = *flush_done_;
  flush_done_ = nullptr;
  if (may_prefetch()) book(now + 1, memory_unit);
  done.slice_flushed(flush_id_, clock().ledger_at(now));
}

// ---- the rest ----

unsigned LlcSlice::debug(tlm::tlm_generic_payload& payload, int) {
  return data_ != nullptr ? data_->debug(payload) : mem.debug(payload);
}

Faults LlcSlice::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!pipe_.empty()) blame(std::to_string(pipe_.size()) + " requests are in the pipeline");
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (!memory_.empty()) blame(std::to_string(memory_.size()) + " requests to memory wait");
  if (const std::uint64_t out = writes_out(every_application); out != 0)
    blame(std::to_string(out) + " writes were never acknowledged");
  if (!hits_.empty() || !fills_.empty()) blame("replies wait");
  if (noc.holding()) blame("a request is held back");
  if (flushing()) blame("a flush is not finished");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  if (prefetches_ != nullptr) prefetches_->append_faults(blame);
  return faults;
}

std::vector<WaitNote> LlcSlice::waits() const {
  std::vector<WaitNote> notes;
  const MshrFile& mshrs = core_.mshrs();
  if (noc.holding()) notes.push_back({"request held back", name(), 1, 1, &noc.held()->access()});
  if (!pipe_.empty()) notes.push_back({"pipeline", name(), pipe_.size(), pipe_capacity_, &pipe_.front()});
  if (!mshrs.empty())
    notes.push_back({"MSHRs", mem.peer(), mshrs.in_use(), mshrs.capacity(), mshrs.oldest()});
  if (!memory_.empty())
    notes.push_back({"requests to memory", mem.peer(), memory_.size(), mshrs.capacity(), &memory_.front()});
  if (noc.response_blocked())
    notes.push_back({"replies", "", hits_.size() + fills_.size(), reply_capacity_, nullptr});
  return notes;
}

}  // namespace strata
