// What few visits of an SM pass: other instructions than arithmetic and accesses, sleep, barriers, stalls.
#include <utility>

#include "models/sm_cluster/sm_core_inline.h"

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

// Of a scheduler's memory instructions that wait for the head of the load/store queue the first is at its
// door and holds no collector any more; another one may stand in front of the collectors, past which others
// go.
bool SmCore::has_collector(const WarpScheduler& scheduler, OpClass op) const {
  if (places_.modelled()) {
    return touches_global_memory(op) ? places_.takes_memory(scheduler.number)
                                     : places_.takes_other(scheduler.number);
  }
  return scheduler.collecting < (touches_global_memory(op) ? collectors_ + 2 : collectors_ + 1);
}

// A memory instruction that has to wait for the head of the load/store queue.
void SmCore::collect(WarpScheduler& scheduler, const MemoryOp& op) {
  if (places_.modelled()) {
    lsu_.hold_place();
    return places_.add(scheduler.number, op);
  }
  ++scheduler.collecting;
  lsu_.push(op);
}

// The next instruction is the load/store queue's head, and those behind it move up.
void SmCore::collect_head() {
  if (places_.modelled()) return take_head();
  if (lsu_.empty()) return;
  const unsigned number = warps_[lsu_.head().warp].scheduler;
  WarpScheduler& scheduler = schedulers_[number];
  --scheduler.collecting;
  scheduler.wake_collectors();
  if (scheduler.any_ready(true)) awake_ |= 1U << number;
}

// The same where collectors have an order of their own.
void SmCore::take_head() {
  MemoryOp op;
  const int number = places_.take(op);
  if (number < 0) return;
  lsu_.enter(op);
  WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(number)];
  scheduler.wake_collectors();
  if (scheduler.any_ready(true)) awake_ |= 1U << number;
}

bool SmCore::hold(WarpScheduler& scheduler, int slot, Unit unit) {
  scheduler.hold(warp_at(slot).position, unit);
  return false;
}

// What executes on a unit that may be busy.
bool SmCore::issue_on_unit(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction,
                           Cycle now) {
  if (touches_shared_memory(instruction.op())) return issue_shared(scheduler, slot, instruction, now);
  if (instruction.is_mixed()) return issue_run(scheduler, slot, instruction, now);
  const Unit unit = instruction.unit();
  if (scheduler.units.free(unit) > now) return hold(scheduler, slot, unit);
  const UnitTiming& timing = timings_[unit];
  const Cycle last = scheduler.units.begin(unit, timing, instruction.weight(), now);
  if (unit < Unit::sfu)
    stats_->unit_cycles[static_cast<std::size_t>(unit)] += instruction.weight() * timing.interval;
  const Cycle slots = now + instruction.slots(alu_interval_) - 1;
  write_result(slot, instruction, std::max(last, slots) + timing.latency, now);
  return true;
}

// It begins when all its classes have a unit free.
bool SmCore::issue_run(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction, Cycle now) {
  const UnitMix mix = instruction.mix();
  Unit busy = Unit::none;
  mix.for_each([&](Unit unit, unsigned) {
    if (timings_[unit].can_be_busy() && scheduler.units.free(unit) > now) busy = unit;
  });
  if (busy != Unit::none) return hold(scheduler, slot, busy);
  const Cycle slots = now + instruction.slots(alu_interval_) - 1;
  Cycle ready = 0;
  mix.for_each([&](Unit unit, unsigned count) {
    const UnitTiming& timing = timings_[unit];
    if (timing.can_be_busy() && unit < Unit::sfu)
      stats_->unit_cycles[static_cast<std::size_t>(unit)] += count * timing.interval;
    const Cycle last = timing.can_be_busy() ? scheduler.units.begin(unit, timing, count, now) : slots;
    ready = std::max(ready, std::max(last, slots) + timing.latency);
  });
  write_result(slot, instruction, ready, now);
  return true;
}

// Shared memory takes one instruction of the SM at a time, and as many cycles as one of its banks has words
// to read or write.
bool SmCore::issue_shared(WarpScheduler& scheduler, int slot, const DecodedInstruction& instruction,
                          Cycle now) {
  if (scheduler.units.free(Unit::shared) > now) return hold(scheduler, slot, Unit::shared);
  Cycle extra = instruction.more_cycles();
  if (instruction.syncs() && queues_ != nullptr && !reach_out(slot, instruction, now, extra)) [[unlikely]]
    return false;
  stats_->shared_conflict_cycles += extra - instruction.more_passes();
  for (WarpScheduler& each : schedulers_) each.units.set_free(Unit::shared, now + 1 + extra);
  write_result(slot, instruction, now + extra + timings_[Unit::shared].latency, now);
  return true;
}

// Where more is modelled than plain_ allows. In the order of age schedulers have their turns by the warps
// that they would issue from: it matters where they meet, at the load/store queue and at shared memory.
void SmCore::issue_general(Cycle now) {
  if (!oldest_first_) return issue_in_order(now, false);
  for (;;) {
    WarpScheduler* first = nullptr;
    int position = 0;
    std::uint64_t age = 0;
    for (int i = 0; i < scheduler_count_; ++i) {
      WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
      const Mask warps = scheduler.free_at <= now ? candidates(scheduler, now) : 0;
      if (warps == 0) continue;
      const int here = scheduler.pick(gto_, warps);
      const std::uint64_t its_age = ages_[static_cast<std::size_t>(scheduler.slot_at(here))];
      if (first != nullptr && its_age > age) continue;
      first = &scheduler;
      position = here;
      age = its_age;
    }
    if (first == nullptr) return;
    try_issue(*first, position, now, false);
  }
}

void SmCore::sleep(int slot, Cycle until, Cycle now) {
  warps_[static_cast<std::size_t>(slot)].wake = until;
  waits_.asleep |= bit(slot);
  wakes_.book(static_cast<std::size_t>(slot), until, now);
}

void SmCore::wake(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  waits_.asleep &= ~bit(slot);
  if (warp.wake > now) return sleep(slot, warp.wake, now);  // beyond the ring's horizon
  if (warp.left == 0) return end_of_stream(slot, now);
  schedulers_[warp.scheduler].set_ready(warp.position);
  awake_ |= 1U << warp.scheduler;
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

void SmCore::begin_idle(WarpScheduler& scheduler, Cycle now) {
  scheduler.account_idle(stats_->idle, now);
  if (!stopped_) scheduler.idle = waits_.idle_reason(scheduler);
  if (!scheduler.any_ready(true) && !scheduler.any_unit_waiting()) awake_ &= ~(1U << scheduler.number);
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
