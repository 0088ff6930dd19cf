// What few visits of an SM pass: other instructions than arithmetic and accesses, sleep, barriers, stalls.
#include <utility>

#include "models/sm_cluster/sm_core_hot.h"

namespace strata {

void SmCore::wake_due(std::uint64_t& due, Cycle now) {
  for (Mask left = std::exchange(due, 0); left != 0; left &= left - 1) wake(__builtin_ctzll(left), now);
}

// Instructions of which no lane has an address are over on their turn.
bool SmCore::skip_empty(Cycle now) {
  do {
    const MemoryOp op = lsu_.head();
    if (op.slot != no_load_slot) end_load(op.warp, op.slot, now);
    leave_queue(op.warp, now);
    if (!lsu_.has_turn(now)) return false;
  } while (!lsu_.has_line());
  return true;
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
