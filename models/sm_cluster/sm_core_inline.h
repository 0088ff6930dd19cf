#pragma once

#include <algorithm>

#include "models/sm_cluster/sm_core.h"

namespace strata {

// What every visit of an SM passes: for the sources that drive one only. Inlined, since the calls would cost
// as much as the work (2.3 % of the instructions of a run).

// Bits of a sector mask; the plain builtin is a library call without -mpopcnt.
inline unsigned sector_count(std::uint8_t mask) {
  static constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[mask & 15U] + unsigned{bits[mask >> 4]};
}

// ---- issue ----

// Decide what warp `slot` does next: it may issue in `from` at the earliest; when that works out to be not
// after `immediate` it is ready at once, else it sleeps, waits for memory, or has come to its end.
[[gnu::always_inline]] inline void SmCore::schedule(int slot, Cycle from, Cycle immediate, Cycle now) {
  WarpState& warp = warp_at(slot);
  if (schedule(warp, schedulers_[warp.scheduler], warp.position, slot, from, immediate, now))
    awake_ |= 1U << warp.scheduler;
}

// The same; true when it is ready. Its scheduler is awake if it was ready before.
[[gnu::always_inline]] inline bool SmCore::schedule(WarpState& warp, WarpScheduler& scheduler, int position,
                                                    int slot, Cycle from, Cycle immediate, Cycle now) {
  if (warp.left <= warp.reader) {
    scheduler.clear_ready(position);
    if (warp.left == 0)
      end_of_stream(slot, now);
    else
      waits_.memory |= bit(slot);
    return false;
  }
  Cycle at = std::max(from, warp.wake);  // fetched by then
  if (DecodedInstruction(next_of(slot).code).waits()) at = std::max(at, results_.ready(slot, warp.left));
  if (at <= immediate) {
    scheduler.set_ready(position);
    return true;
  }
  scheduler.clear_ready(position);
  sleep(slot, at, now);
  return false;
}

[[gnu::always_inline]] inline void SmCore::write_result(int slot, const DecodedInstruction& instruction,
                                                        Cycle ready, Cycle now) {
  const std::uint32_t distance = instruction.first_use();
  if (distance != 0) results_.set(slot, warp_at(slot).left - distance, distance, ready, now);
}

// `plain`, here and below: what it rules out need not be looked for.
[[gnu::always_inline]] inline bool SmCore::issue_memory(WarpScheduler& scheduler, int slot,
                                                        const DecodedInstruction& instruction, Cycle now,
                                                        bool plain) {
  WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  if (lsu_.full() && !instruction.bulk()) {
    scheduler.wait_lsu(warp_at(slot).position);
    return false;
  }
  std::uint8_t entry = no_load_slot;
  if (instruction.async()) [[unlikely]] {
    if (instruction.bulk()) return hand_to_engine(slot, instruction, now);
    if (!begin_copy(slot, instruction, entry)) return false;
  } else if (instruction.returns()) {
    const std::uint32_t free = load_entries_ & ~warp.loads_busy;
    if (free == 0) {
      scheduler.clear_ready(warp_at(slot).position);
      waits_.memory |= bit(slot);
      return false;
    }
    entry = static_cast<std::uint8_t>(__builtin_ctz(free));
    if (instruction.is_short_line())
      warp.begin_load(entry, 1, instruction.near_use());
    else
      warp.begin_load(entry, instruction.line_count(next_of(slot).lines), instruction.first_use());
  }
  ++warp.queued;
  const MemoryOp op{
      instruction.word(), next_of(slot).lines, now, static_cast<std::uint8_t>(slot), entry, warp.cta};
  if (plain || collectors_ == 0 || lsu_.empty())
    lsu_.push(op);
  else
    collect(scheduler, op);
  return true;
}

[[gnu::always_inline]] inline void SmCore::try_issue(WarpScheduler& scheduler, int position, Cycle now,
                                                     bool plain) {
  const int slot = scheduler.slot_at(position);
  WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  DecodedCode& next = next_of(slot);
  const DecodedInstruction instruction(next.code);
  const OpClass op = instruction.op();
  const unsigned weight = instruction.weight();
  const bool syncs = !touches_global_memory(op) && instruction.syncs();
  const Cycle busy = instruction.slots(alu_interval_);
  if (scheduler.any_unit_waiting()) scheduler.let_go(position);
  bool issued = true;
  if (!plain && collectors_ != 0 && !has_collector(scheduler, op)) {
    scheduler.wait_collector(position);
    return note_idle(scheduler, now);
  }
  if (touches_global_memory(op))
    issued = issue_memory(scheduler, slot, instruction, now, plain);
  else if (instruction.may_wait())
    issued = issue_on_unit(scheduler, slot, instruction, now);
  else
    write_result(slot, instruction, now + busy - 1 + timings_[instruction.unit()].latency, now);
  if (!issued) return note_idle(scheduler, now);

  scheduler.account_idle(stats_->idle, now);
  scheduler.free_at = now + busy;
  scheduler.issued(position);
  stats_->issue_cycles += busy;
  stats_->warp_instructions += weight;
  stats_->instructions[static_cast<std::size_t>(op)] += weight;
  stats_->thread_instructions += instruction.lanes() * weight;
  ++stats_->records_issued;
  if (!plain && buffers_.modelled())
    warp.wake = std::max(warp.wake, buffers_.leave(slot, weight, now + busy));
  if (!touches_global_memory(op)) {
    next.code = instruction.after_other();
  } else if (instruction.is_short_line()) {
    ++next.code;
    ++next.lines;
  } else {
    next.code = instruction.after_access();
    next.lines = instruction.after_lines(next.lines);
  }
  --warp.left;
  if (syncs) [[unlikely]] {
    const SyncWord sync(next.code[-1]);  // the last word of the instruction
    if (goes_on(slot, sync, instruction.lanes(), now))
      schedule(warp, scheduler, position, slot, now + 1, now + busy, now);
  } else if (op == OpClass::barrier)
    arrive(slot, now);
  else
    schedule(warp, scheduler, position, slot, now + 1, now + busy, now);
  note_idle(scheduler, now);
}

// Positions of the warps that a scheduler may issue from.
[[gnu::always_inline]] inline SmCore::Mask SmCore::candidates(const WarpScheduler& scheduler,
                                                              Cycle now) const {
  const Mask warps = scheduler.candidates(!lsu_.full());
  return scheduler.any_unit_waiting() ? warps | scheduler.released(now) : warps;
}

[[gnu::always_inline]] inline void SmCore::issue_in_order(Cycle now, bool plain) {
  for (std::uint32_t left = awake_; left != 0; left &= left - 1) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(__builtin_ctz(left))];
    // Each turn issues, which moves free_at, or takes a warp that cannot issue out of the ready ones.
    while (scheduler.free_at <= now) {
      const Mask warps = candidates(scheduler, now);
      if (warps == 0) break;
      try_issue(scheduler, scheduler.pick(gto_, warps), now, plain);
    }
  }
}

[[gnu::always_inline]] inline void SmCore::issue(Cycle now) {
  if (!plain_) return issue_general(now);
  issue_in_order(now, true);
}

// ---- answers, lines, wakes ----

[[gnu::always_inline]] inline void SmCore::expect_reply(int slot) const {
  __builtin_prefetch(&warps_[static_cast<std::size_t>(slot)]);
  const DecodedCode& next = next_[static_cast<std::size_t>(slot)];
  __builtin_prefetch(next.lines);
  __builtin_prefetch(next.code);
}

[[gnu::always_inline]] inline void SmCore::begin(Cycle now) {
  if (replies_.next() <= now) take_replies(replies_, stats_->round_trips, now);
  if (hits_.next() <= now) take_replies(hits_, stats_->answered_at_once, now);
  if (std::uint64_t* const due = wakes_.take(now)) wake_due(*due, now);
}

[[gnu::always_inline]] inline bool SmCore::another_line(Cycle now) {
  lsu_.go_on(now);
  return line_waiting(now);
}

[[gnu::always_inline]] inline void SmCore::leave_queue(int slot, Cycle now) {
  lsu_.pop();
  if (!plain_ && collectors_ != 0) collect_head();
  --warps_[static_cast<std::size_t>(slot)].queued;
  if ((waits_.draining & bit(slot)) != 0) end_of_stream(slot, now);
}

[[gnu::always_inline]] inline void SmCore::line_sent(Cycle now) {
  line_sent(lsu_.head().warp, lsu_.head().instruction.op(), now);
}

[[gnu::always_inline]] inline void SmCore::line_sent(int slot, OpClass op, Cycle now) {
  ++in_flight_;
  if (awaits_stores_ && lsu_.head().slot == no_load_slot) ++stores_left_[static_cast<std::size_t>(slot)];
  ++stats_->lines_in_flight;
  ++stats_->line_accesses;
  ++(op == OpClass::store    ? stats_->store_lines
     : op == OpClass::atomic ? stats_->atomic_lines
                             : stats_->load_lines);
  stats_->sectors += sector_count(lsu_.line().sectors);
  stats_->link_wait_cycles += now - lsu_.turn();
  if (lsu_.head().instruction.is_marked()) [[unlikely]]
    count_marked(lsu_.head().instruction);
  if (lsu_.sent(now)) leave_queue(slot, now);
}

[[gnu::always_inline]] inline void SmCore::end_load(int slot, unsigned entry, Cycle now) {
  if (warp_at(slot).loads[entry].copies == WarpState::Copies::closed) [[unlikely]]
    end_copies(slot, entry, now);
  warp_at(slot).end_load(entry);
  if ((waits_.memory & bit(slot)) != 0) {
    waits_.memory &= ~bit(slot);
    schedule(slot, now, now, now);
  } else if ((waits_.draining & bit(slot)) != 0) {
    end_of_stream(slot, now);
  }
}

[[gnu::always_inline]] inline void SmCore::take_replies(Replies& answers, std::uint64_t& counter, Cycle now) {
  do {
    const unsigned answer = answers.pop().value;
    const int warp = static_cast<int>(answer >> 8);
    const unsigned entry = answer & 0xff;
    ++counter;
    --stats_->lines_in_flight;
    if (--in_flight_ == 0 && ctas_.empty()) ended_ = true;
    if (entry >= CopyEngine::first_slot) {
      if (entry != no_load_slot)
        copy_answered(static_cast<std::uint8_t>(entry), now);
      else if (awaits_stores_)
        end_store(warp, now);
    } else if (--warp_at(warp).loads[entry].lines_left == 0) {
      end_load(warp, entry, now);
    }
  } while (answers.next() <= now);
}

[[gnu::always_inline]] inline Cycle SmCore::next_timed(Cycle now) const {
  Cycle next = wakes_.next(now);
  if (!hits_.empty()) {
    next = std::min(next, std::max(hits_.next(), now + 1));
    expect_reply(hits_.front().value >> 8);
  }
  return next;
}

[[gnu::always_inline]] inline Cycle SmCore::next_wake(Cycle now) const {
  Cycle next = never;
  const bool room = !lsu_.full();
  for (std::uint32_t left = awake_; left != 0; left &= left - 1) {
    const WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(__builtin_ctz(left))];
    Cycle turn = scheduler.free_at;
    if (!scheduler.any_ready(room)) {
      if (!scheduler.any_unit_waiting()) continue;
      turn = std::max(turn, scheduler.next_release());
    }
    if (turn <= now + 1) return now + 1;
    next = std::min(next, turn);
  }
  return std::min(next, next_timed(now));
}

}  // namespace strata
