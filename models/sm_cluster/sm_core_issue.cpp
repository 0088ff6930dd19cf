// Answers, issue and barriers of SmCore: what every visit passes, in one file so that it is
// inlined. sm_core.cpp holds residence and the load/store queue.
#include <algorithm>
#include <utility>

#include "models/sm_cluster/sm_core.h"

namespace strata {

[[gnu::always_inline]] inline void SmCore::end_load(int slot, int entry, Cycle now) {
  warp_at(slot).end_load(entry);
  if ((waits_.memory & bit(slot)) != 0) {
    waits_.memory &= ~bit(slot);
    schedule(slot, now, now, now);
  } else if ((waits_.draining & bit(slot)) != 0) {
    end_of_stream(slot, now);
  }
}

void SmCore::take_answers(Answers& answers, std::uint64_t& counter, Cycle now) {
  do {
    const unsigned answer = answers.pop().value;
    const int warp = static_cast<int>(answer >> 8);
    const unsigned entry = answer & 0xff;
    ++counter;
    --in_flight_;
    --stats_->lines_in_flight;
    if (entry != no_load_slot && --warp_at(warp).loads[entry].lines_left == 0)
      end_load(warp, static_cast<int>(entry), now);
  } while (answers.next() <= now);
}

void SmCore::wake_due(std::uint64_t& due, Cycle now) {
  for (Mask left = std::exchange(due, 0); left != 0; left &= left - 1) wake(__builtin_ctzll(left), now);
}

// Instructions of which no lane has an address are over on their turn.
bool SmCore::skip_empty(Cycle now) {
  do {
    const MemoryOp op = lsu_.head();
    if (op.slot != no_load_slot) end_load(op.warp, op.slot, now);
    leave_queue(now);
    if (!lsu_.has_turn(now)) return false;
  } while (!lsu_.has_line());
  return true;
}

void SmCore::issue(Cycle now) {
  WarpScheduler* const end = schedulers_.data() + scheduler_count_;
  for (WarpScheduler* each = schedulers_.data(); each != end; ++each) {
    WarpScheduler& scheduler = *each;
    // Each turn issues, which moves free_at, or takes a warp that cannot issue out of the ready ones.
    while (scheduler.free_at <= now) {
      const Mask candidates = scheduler.candidates(!lsu_.full());
      if (candidates == 0) break;
      try_issue(scheduler, gto_ ? scheduler.pick_gto(candidates) : scheduler.pick_lrr(candidates), now);
    }
  }
}

[[gnu::always_inline]] inline void SmCore::try_issue(WarpScheduler& scheduler, int position, Cycle now) {
  const int slot = scheduler.slot_at(position);
  WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  const DecodedInstruction instruction(warp.next);
  const OpClass op = instruction.op();
  const unsigned weight = instruction.weight();
  const unsigned busy = op == OpClass::alu ? weight * alu_interval_ : weight;
  bool issued = true;
  if (touches_global_memory(op))
    issued = issue_memory(scheduler, slot, instruction, now);
  else if (op == OpClass::sfu)
    issued = issue_sfu(scheduler, slot, instruction, now);
  else if (touches_shared_memory(op))
    issued = issue_shared(scheduler, slot, instruction, now);
  else  // arithmetic, and all that only takes an issue slot
    write_result(slot, instruction, now + busy - 1 + static_cast<Cycle>(alu_latency_), now);
  if (!issued) return note_idle(scheduler, now);

  scheduler.account_idle(stats_->idle, now);
  scheduler.free_at = now + busy;
  scheduler.issued(position);
  stats_->issue_cycles += busy;
  stats_->warp_instructions += weight;
  stats_->instructions[static_cast<std::size_t>(op)] += weight;
  stats_->thread_instructions += instruction.lanes() * weight;
  ++stats_->records_issued;
  warp.next = touches_global_memory(op) ? instruction.after_lines() : warp.next + 1;
  --warp.left;
  if (op == OpClass::barrier)
    arrive(slot, now);
  else
    schedule(warp, scheduler, slot, now + 1, now + busy, now);
  note_idle(scheduler, now);
}

bool SmCore::issue_sfu(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction, Cycle now) {
  if (scheduler.sfu_free > now) {
    scheduler.clear_ready(warp_at(slot).position);
    sleep(slot, scheduler.sfu_free, now);
    return false;
  }
  scheduler.sfu_free = now + instruction.weight() * static_cast<Cycle>(sfu_interval_);
  write_result(slot, instruction, scheduler.sfu_free + static_cast<Cycle>(sfu_latency_ - sfu_interval_), now);
  return true;
}

// Shared memory takes one instruction of the SM at a time and d cycles for a bank conflict of degree d.
bool SmCore::issue_shared(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction,
                          Cycle now) {
  if (shared_free_ > now) {
    scheduler.clear_ready(warp_at(slot).position);
    sleep(slot, shared_free_, now);
    return false;
  }
  const Cycle extra = instruction.conflict_cycles();
  stats_->shared_conflict_cycles += extra;
  shared_free_ = now + 1 + extra;
  write_result(slot, instruction, now + extra + static_cast<Cycle>(shared_latency_), now);
  return true;
}

[[gnu::always_inline]] inline bool SmCore::issue_memory(WarpScheduler& scheduler, int slot,
                                                        const DecodedInstruction& instruction, Cycle now) {
  WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  if (lsu_.full()) {
    scheduler.park(warp_at(slot).position);
    return false;
  }
  std::uint8_t entry = no_load_slot;
  if (instruction.returns()) {
    const std::uint32_t free = load_entries_ & ~warp.loads_busy;
    if (free == 0) {
      scheduler.clear_ready(warp_at(slot).position);
      waits_.memory |= bit(slot);
      return false;
    }
    entry = static_cast<std::uint8_t>(__builtin_ctz(free));
    warp.begin_load(entry, instruction);
  }
  ++warp.queued;
  lsu_.push({warp.next, now, static_cast<std::uint8_t>(slot), entry, warp.cta});
  return true;
}

[[gnu::always_inline]] inline void SmCore::write_result(int slot, const DecodedInstruction& instruction,
                                                        Cycle ready, Cycle now) {
  const std::uint32_t distance = instruction.first_use();
  if (distance != 0) results_.set(slot, warp_at(slot).left - distance, distance, ready, now);
}

// Decide what warp `slot` does next: it may issue in `from` at the earliest; when that works out to be not
// after `immediate` it is ready at once, else it sleeps, waits for memory, or has come to its end.
[[gnu::always_inline]] inline void SmCore::schedule(int slot, Cycle from, Cycle immediate, Cycle now) {
  WarpState& warp = warp_at(slot);
  schedule(warp, schedulers_[warp.scheduler], slot, from, immediate, now);
}

[[gnu::always_inline]] inline void SmCore::schedule(WarpState& warp, WarpScheduler& scheduler, int slot,
                                                    Cycle from, Cycle immediate, Cycle now) {
  const int position = warp.position;
  if (warp.left <= warp.reader) {
    scheduler.clear_ready(position);
    if (warp.left == 0)
      end_of_stream(slot, now);
    else
      waits_.memory |= bit(slot);
    return;
  }
  Cycle at = from;
  if (DecodedInstruction(warp.next).waits()) at = std::max(at, results_.ready(slot, warp.left));
  if (at <= immediate) {
    scheduler.set_ready(position);
    return;
  }
  scheduler.clear_ready(position);
  sleep(slot, at, now);
}

void SmCore::sleep(int slot, Cycle until, Cycle now) {
  warps_[static_cast<std::size_t>(slot)].wake = until;
  waits_.asleep |= bit(slot);
  wakes_.book(static_cast<std::size_t>(slot), until, now);
}

void SmCore::wake(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  waits_.asleep &= ~bit(slot);
  if (warp.wake > now)
    sleep(slot, warp.wake, now);  // beyond the ring's horizon
  else if (warp.left == 0)
    end_of_stream(slot, now);
  else
    schedulers_[warp.scheduler].set_ready(warp_at(slot).position);
}

void SmCore::arrive(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  schedulers_[warp.scheduler].clear_ready(warp_at(slot).position);
  ResidentCta& cta = ctas_[warp.cta];
  cta.arrived |= bit(slot);
  waits_.barrier |= bit(slot);
  release_barrier(cta, now);
}

// When every warp that has not ended has arrived, all go on in the next cycle.
void SmCore::release_barrier(ResidentCta& cta, Cycle now) {
  if (__builtin_popcountll(cta.arrived) < cta.live) return;
  Mask left = cta.arrived;
  cta.arrived = 0;
  waits_.barrier &= ~left;
  for (; left != 0; left &= left - 1) schedule(__builtin_ctzll(left), now + 1, now, now);
}

[[gnu::always_inline]] inline Cycle SmCore::next_timed(Cycle now) const {
  Cycle next = wakes_.next(now);
  if (!hits_.empty()) {
    next = std::min(next, std::max(hits_.next(), now + 1));
    expect_answer(hits_.front().value >> 8);
  }
  return next;
}

Cycle SmCore::next_wake(Cycle now) const {
  Cycle next = never;
  const bool room = !lsu_.full();
  for (int i = 0; i < scheduler_count_; ++i) {
    const WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
    if (!scheduler.any_ready(room)) continue;
    if (scheduler.free_at <= now + 1) return now + 1;
    next = std::min(next, scheduler.free_at);
  }
  return std::min(next, next_timed(now));
}

Cycle SmCore::next_event(Cycle now) const {
  return next_timed(now);
}

void SmCore::begin_idle(WarpScheduler& scheduler, Cycle now) {
  scheduler.account_idle(stats_->idle, now);
  if (!stopped_) scheduler.idle = waits_.idle_reason(scheduler);
}

void SmCore::stop(Cycle now) {
  stopped_ = true;
  for (int i = 0; i < scheduler_count_; ++i) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
    scheduler.account_idle(stats_->idle, now);
    scheduler.idle = Idle::stalled;
  }
}

void SmCore::go_on(Cycle now) {
  stopped_ = false;
  for (int i = 0; i < scheduler_count_; ++i) begin_idle(schedulers_[static_cast<std::size_t>(i)], now);
}

}  // namespace strata
