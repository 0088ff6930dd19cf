#pragma once

#include <algorithm>

#include "models/sm_cluster/sm_core_issue_hot.h"

namespace strata {

// What every visit of an SM passes: for the sources that drive one only. Inlined, since the calls would cost
// as much as the work.

// Bits of a chunk mask; the plain builtin is a library call without -mpopcnt.
inline unsigned chunk_count(std::uint8_t mask) {
  static constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[mask & 15U] + unsigned{bits[mask >> 4]};
}

[[gnu::always_inline]] inline void SmCore::expect_answer(int slot) const {
  __builtin_prefetch(&warps_[static_cast<std::size_t>(slot)]);
  const WarpCode& next = next_[static_cast<std::size_t>(slot)];
  __builtin_prefetch(next.lines);
  __builtin_prefetch(next.code);
}

[[gnu::always_inline]] inline void SmCore::begin(Cycle now) {
  if (answers_.next() <= now) take_answers(answers_, stats_->round_trips, now);
  if (hits_.next() <= now) take_answers(hits_, stats_->answered_at_once, now);
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
  stats_->sectors += chunk_count(lsu_.line().chunks);
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

[[gnu::always_inline]] inline void SmCore::take_answers(Answers& answers, std::uint64_t& counter, Cycle now) {
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
    expect_answer(hits_.front().value >> 8);
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
      if (!scheduler.any_held()) continue;
      turn = std::max(turn, scheduler.next_release());
    }
    if (turn <= now + 1) return now + 1;
    next = std::min(next, turn);
  }
  return std::min(next, next_timed(now));
}

}  // namespace strata
