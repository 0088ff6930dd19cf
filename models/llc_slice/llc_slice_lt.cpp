#include "models/llc_slice/llc_slice_lt.h"

#include <algorithm>

namespace strata {
namespace {

void charge(Access& access, Cause cause, Cycle ledger) {
  if (ledger > access.ledger.mark()) access.ledger.charge(cause, ledger);
}

void charge_split(Access& access, Cause first, Cycle limit, Cause rest, Cycle ledger) {
  if (ledger > access.ledger.mark()) access.ledger.charge_split(first, limit, rest, ledger);
}

Cycle in_ledger_cycles(const ClockDomain& clock, Cycle cycles) {
  return clock.ledger_at(cycles) - clock.ledger_at(0);
}

std::size_t ring(int depth) {
  return static_cast<std::size_t>(depth);
}

void step(std::size_t& position, const std::vector<Cycle>& in) {
  position = position + 1 == in.size() ? 0 : position + 1;
}

}  // namespace

LlcSliceLt::LlcSliceLt(sc_core::sc_module_name module_name, const LlcSliceParams& params,
                       const BuildContext& context)
    : LtBlock(module_name, context.clock),
      core_(params, context.map),
      lookup_(static_cast<Cycle>(params.lookup_cycles())),
      rest_(static_cast<Cycle>(params.latency - params.lookup_cycles())),
      lookup_ledger_(in_ledger_cycles(context.clock, lookup_)),
      rest_ledger_(in_ledger_cycles(context.clock, rest_)),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)),
      pipe_depth_(static_cast<Cycle>(params.lookup_cycles() + params.request_queue)),
      fills_(ring(params.mshrs)),
      fetches_(ring(params.mshrs)),
      pipe_(ring(params.lookup_cycles() + params.request_queue)),
      replies_(ring(params.reply_queue + params.latency - params.lookup_cycles())),
      departures_(ring(params.write_queue)) {
  if (params.line != context.map.line_bytes())
    throw ConfigError(
        Faults{param_fault("line", "is " + to_text(params.line) + " but lines of the address map have " +
                                       to_text(Bytes(context.map.line_bytes())))});
}

// The head flit is here in cycle `at`; the request enters the pipeline with its last flit, and is decided at
// the end of the lookup.
[[gnu::always_inline]] inline Cycle LlcSliceLt::enter(Access& access, Cycle at) {
  const Cycle whole = at + access.flits - 1U;
  charge(access, Cause::request_link, clock().ledger_at(at));
  if (whole != at) charge(access, Cause::request_serial, clock().ledger_at(whole));
  entry_.slide(clock().now());
  return entry_.book(whole, 1) + lookup_;
}

// Take in what happens before `cycle`: departures from the write queue, and fills.
[[gnu::always_inline]] inline void LlcSliceLt::pass_until(Cycle cycle) {
  while (core_.writes_queued() != 0 && departures_[departed_] < cycle) {
    core_.write_departed();
    step(departed_, departures_);
  }
  while (fills_.next() < cycle) {
    const TimeHeap::Event event = fills_.pop();
    fill(event.value, event.at);
  }
}

// A fill that finds no room for its victim is held until a write has left; its waiters were told already.
void LlcSliceLt::fill(int mshr, Cycle at) {
  if (!core_.can_fill(mshr)) ++core_.stats().held_fills;
  while (!core_.can_fill(mshr)) {
    at = std::max(at, departures_[departed_] + 1);
    core_.write_departed();
    step(departed_, departures_);
  }
  LlcFilled filled = core_.fill(mshr, at);
  if (filled.victim) write(filled.victim, nullptr, at);
  if (filled.through) write(filled.through, &filled.waiters.front(), at);
  while (!filled.waiters.empty()) Txn::of(filled.waiters.pop()).release();
}

LlcDecision LlcSliceLt::decide(Access& access, Cycle& now) {
  const std::uint32_t set = core_.expect(access);
  const Cycle due = now;
  if (due >= stalled_from_) now = std::max(now, stalled_until_);
  pass_until(now);
  access.tag = static_cast<std::uint16_t>(set);
  const LlcDecision decision = core_.begin_in(set, access, reply_room(now));
  charge_split(access, Cause::llc_pipeline, lookup_ledger_, Cause::llc_queue, clock().ledger_at(now));
  if (decision.outcome != LlcOutcome::stall) return decision;
  stalled_from_ = due;
  return decide_late(access, decision, now);
}

LlcDecision LlcSliceLt::decide_late(Access& access, LlcDecision decision, Cycle& now) {
  const Cycle since = now;
  LlcStall reason = decision.stall;
  while (decision.outcome == LlcOutcome::stall) {
    reason = decision.stall;
    now = retry_after(reason, now) + 1;
    pass_until(now);
    decision = core_.begin_in(access.tag, access, reply_room(now));
    charge(access, reason == LlcStall::reply_queue ? Cause::llc_reply_queue : Cause::llc_mshr_full,
           clock().ledger_at(now));
  }
  core_.count_stall(reason, now - since);
  stalled_until_ = now + 1;
  return decision;
}

// The cycle of the event that can end a stall.
Cycle LlcSliceLt::retry_after(LlcStall reason, Cycle now) const {
  if (reason == LlcStall::reply_queue) return replies_.room(now) - 1;
  if (reason == LlcStall::write_queue) return std::max(now, departures_[departed_]);
  return std::max(now, fills_.next());
}

LtAnswer LlcSliceLt::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) {
    const Cycle done = flush_lines(at + 1) + 2;
    charge(access, Cause::reconfiguration, clock().ledger_at(done));
    return {done, done};
  }
  Cycle now = enter(access, at);
  const LlcDecision decision = decide(access, now);
  // Within the depth of the pipeline every cycle has decided one: there is room.
  const Cycle room = pipe_.last() > at + pipe_depth_ ? pipe_.room_in_order(at) : at;
  pipe_.visit(room, now);
  if (room != at) ++core_.stats().held_requests;
  LtAnswer answer{room + 1, now + rest_, false, Cause::llc_reply_queue};
  ++core_.stats().replies;
  if (decision.outcome == LlcOutcome::miss_new || decision.outcome == LlcOutcome::miss_merged) {
    Fetch& under_way = fetches_[static_cast<std::size_t>(decision.mshr)];
    txn.acquire();  // it stays in its MSHR's chain until the fill
    if (decision.outcome == LlcOutcome::miss_new)
      fetch(txn, decision.mshr, now);
    else
      charge(access, Cause::llc_merge, under_way.ledger);
    if (under_way.status < tlm::TLM_INCOMPLETE_RESPONSE) txn.set_response_status(under_way.status);
    answer.done = std::max(under_way.at, now) + 1;
    charge(access, Cause::llc_reply_queue, clock().ledger_at(answer.done));
  } else {
    if (decision.write) write(decision.write, &access, now);
    charge_split(access, Cause::llc_pipeline, rest_ledger_, Cause::llc_reply_queue,
                 clock().ledger_at(answer.done));
  }
  access.flits = 1;
  answered_ = answer.done;
  return answer;
}

// Always about the last answer.
void LlcSliceLt::answer_taken(int, Cycle began, Cycle) {
  replies_.visit(answered_, began);
}

void LlcSliceLt::fetch(Txn& txn, int mshr, Cycle now) {
  Access& access = txn.access();
  const AccessClass access_class =
      carries_request_data(access.access_class) ? AccessClass::load : access.access_class;
  Txn& line = pool_.make(access_class, access.line, line_chunks_, access.ledger.mark());
  copy_identity(access, line.access());
  const Cycle sent = std::max(now + 1, memory_free_);
  charge(line.access(), Cause::memory_queue, clock().ledger_at(sent));
  const LtAnswer reply = mem.transport(line, sent);
  if (reply.accepted > sent + 1) memory_free_ = reply.accepted;
  const Cycle ledger = clock().ledger_at(reply.done);
  charge(line.access(), Cause::dram_bus, ledger);
  fetches_[static_cast<std::size_t>(mshr)] = {reply.done, ledger, line.get_response_status()};
  fills_.push(reply.done, static_cast<std::uint16_t>(mshr));
  access.ledger.absorb(line.access().ledger);
  line.release();
}

// The cycle in which memory acknowledges.
Cycle LlcSliceLt::write(const MemoryWrite& write, const Access* owner, Cycle now) {
  Txn& txn = pool_.make(AccessClass::writeback, write.line, write.chunks, clock().ledger_at(now));
  copy_identity(owner != nullptr ? *owner : Access{}, txn.access());
  const Cycle sent = std::max(now + 1, memory_free_);
  charge(txn.access(), Cause::memory_queue, clock().ledger_at(sent));
  const std::size_t last = departed_ + static_cast<std::size_t>(core_.writes_queued()) - 1;
  departures_[last >= departures_.size() ? last - departures_.size() : last] = sent;
  const LtAnswer reply = mem.transport(txn, sent);
  if (reply.accepted > sent + 1) memory_free_ = reply.accepted;
  if (txn.access().failed != 0)
    SC_REPORT_ERROR(name(), ("write failed: " + txn.get_response_string()).c_str());
  ++core_.stats().memory_write_acks;
  txn.release();
  return reply.done;
}

// One dirty line a cycle from `now` on; the cycle in which the lines are gone and memory has all writes.
Cycle LlcSliceLt::flush_lines(Cycle now) {
  for (pass_until(now); !fills_.empty(); pass_until(now)) now = fills_.next() + 1;
  Cycle last = now;
  MemoryWrite dirty;
  for (;; ++now) {
    pass_until(now);
    while (!core_.write_room()) pass_until(now = departures_[departed_] + 1);
    if (!core_.flush_step(dirty)) break;
    last = std::max(last, write(dirty, nullptr, now));
  }
  return std::max(last, now);
}

void LlcSliceLt::begin_flush(SliceFlushDoneIf& done, int id) {
  flush_done_ = &done;
  flush_id_ = id;
  book(flush_lines(clock().now() + 1));
}

void LlcSliceLt::advance(Cycle now, int) {
  SliceFlushDoneIf& done = *flush_done_;
  flush_done_ = nullptr;
  done.slice_flushed(flush_id_, clock().ledger_at(now));
}

void LlcSliceLt::set_write_through(bool through) {
  if (core_.dirty_lines() != 0 || !core_.idle()) {
    SC_REPORT_ERROR(name(), "the write policy can change only while no line is dirty or being fetched");
    return;
  }
  core_.set_write_policy(through ? LlcSliceParams::Write::through : LlcSliceParams::Write::back);
}

unsigned LlcSliceLt::debug(tlm::tlm_generic_payload& payload, int) {
  return mem.debug(payload);
}

void LlcSliceLt::settle(Cycle now) {
  pass_until(now + 1);
}

Faults LlcSliceLt::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (flush_done_ != nullptr) blame("a flush is not finished");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  return faults;
}

}  // namespace strata
