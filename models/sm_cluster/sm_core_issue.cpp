// Answers, issue, scoreboard and barriers of SmCore: what every visit passes, in one file so that it is
// inlined. sm_core.cpp holds residence and the load/store queue.
#include <algorithm>
#include <cstring>

#include "models/sm_cluster/sm_core.h"

namespace strata {

namespace {

constexpr std::uint32_t none_of_four = ~std::uint32_t{0};  // four times no_register
static_assert(no_register == 0xff);

}  // namespace

void SmCore::take_answers(RingQueue<Answer>& answers, std::uint64_t& counter, Cycle now) {
  do {
    const Answer answer = answers.front();
    answers.pop();
    ++counter;
    --in_flight_;
    --stats_->lines_in_flight;
    if (answer.slot != no_load_slot && --warp_at(answer.warp).loads[answer.slot].lines_left == 0)
      end_load(answer.warp, answer.slot, now);
  } while (!answers.empty() && answers.front().due <= now);
}

void SmCore::sort_last_hit() {
  for (std::size_t i = hits_.size() - 1; i > 0 && hits_.at(i).due < hits_.at(i - 1).due; --i)
    std::swap(hits_.at(i), hits_.at(i - 1));
}

void SmCore::wake_due(Cycle now) {
  const std::size_t place = now % ring_cycles;
  Mask left = ring_[place];
  ring_[place] = 0;
  ring_occupied_ &= ~bit(static_cast<int>(place));
  for (; left != 0; left &= left - 1) wake(__builtin_ctzll(left), now);
}

void SmCore::finish_load(int slot, int entry, Cycle now) {
  end_load(slot, entry, now);
}

[[gnu::always_inline]] inline void SmCore::end_load(int slot, int entry, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const LoadSlot& load = warp.loads[entry];
  warp.loads_busy &= ~(1U << entry);
  if (load.reader == by_registers) {
    mark_registers(slot, load.destination, load.destination_count, 0);
  } else if (load.reader == warp.reader) {
    warp.reader = 0;
    for (std::uint32_t busy = warp.loads_busy; busy != 0; busy &= busy - 1) {
      const std::uint32_t reader = warp.loads[__builtin_ctz(busy)].reader;
      if (reader != by_registers && reader > warp.reader) warp.reader = reader;
    }
  }
  if ((waiting_memory_ & bit(slot)) != 0) {
    waiting_memory_ &= ~bit(slot);
    schedule(slot, now, now, now);
  } else if ((draining_ & bit(slot)) != 0) {
    end_of_stream(slot, now);
  }
}

void SmCore::issue(Cycle now) {
  for (int i = 0; i < scheduler_count_; ++i) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
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
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const WarpInstruction& instruction = *warp.next;
  const OpClass op = instruction.op;
  const unsigned weight = instruction.weight != 0 ? instruction.weight : 1;
  const unsigned busy = op == OpClass::alu ? weight * alu_interval_ : weight;
  bool issued = true;
  if (touches_global_memory(op))
    issued = issue_memory(scheduler, slot, now);
  else if (op == OpClass::sfu)
    issued = issue_sfu(scheduler, slot, static_cast<int>(weight), now);
  else if (touches_shared_memory(op))
    issued = issue_shared(scheduler, slot, now);
  else  // arithmetic, and all that only takes an issue slot
    write_result(slot, warp, instruction, now + busy - 1 + static_cast<Cycle>(alu_latency_));
  if (!issued) return note_idle(scheduler, now);

  account_idle(scheduler, now);
  scheduler.free_at = now + busy;
  scheduler.issued(position);
  stats_->issue_cycles += busy;
  stats_->warp_instructions += weight;
  stats_->instructions[static_cast<std::size_t>(op)] += weight;
  stats_->thread_instructions += static_cast<unsigned>(instruction.active_lanes()) * weight;
  ++stats_->records_issued;
  ++warp.next;
  if (--warp.left % window == 0 && warp.left != 0) fill_window(slot);
  if (op == OpClass::barrier)
    arrive(slot, now);
  else
    schedule(slot, now + 1, now + busy, now);
  note_idle(scheduler, now);
}

bool SmCore::issue_sfu(WarpScheduler& scheduler, int slot, int weight, Cycle now) {
  if (scheduler.sfu_free > now) {
    scheduler.clear_ready(warp_at(slot).position);
    sleep(slot, scheduler.sfu_free, now);
    return false;
  }
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  scheduler.sfu_free = now + static_cast<Cycle>(weight * sfu_interval_);
  write_result(slot, warp, *warp.next, scheduler.sfu_free + static_cast<Cycle>(sfu_latency_ - sfu_interval_));
  return true;
}

// Shared memory takes one instruction of the SM at a time and d cycles for a bank conflict of degree d.
bool SmCore::issue_shared(WarpScheduler& scheduler, int slot, Cycle now) {
  if (shared_free_ > now) {
    scheduler.clear_ready(warp_at(slot).position);
    sleep(slot, shared_free_, now);
    return false;
  }
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Cta& cta = ctas_[warp.cta];
  WarpInstruction instruction = *warp.next;
  cta.trace.unpack_list(instruction, list_);
  const int degree = shared_conflict_degree(instruction, list_);
  const Cycle extra = degree > 1 ? static_cast<Cycle>(degree - 1) : 0;
  stats_->shared_conflict_cycles += extra;
  shared_free_ = now + 1 + extra;
  write_result(slot, warp, *warp.next, now + extra + static_cast<Cycle>(shared_latency_));
  return true;
}

[[gnu::always_inline]] inline bool SmCore::issue_memory(WarpScheduler& scheduler, int slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const WarpInstruction& instruction = *warp.next;
  if (lsu_.full()) {
    scheduler.park(warp_at(slot).position);
    return false;
  }
  std::uint8_t entry = no_load_slot;
  const bool returns = instruction.destination != no_register || instruction.first_use != 0;
  if (instruction.op != OpClass::store && (returns || instruction.op != OpClass::atomic)) {
    const std::uint32_t free = load_entries_ & ~warp.loads_busy;
    if (free == 0) {
      scheduler.clear_ready(warp_at(slot).position);
      waiting_memory_ |= bit(slot);
      return false;
    }
    entry = static_cast<std::uint8_t>(__builtin_ctz(free));
    track_load(warp, slot, entry, instruction);
  }
  ++warp.queued;
  lsu_.push({instruction, now, static_cast<std::uint8_t>(slot), entry, warp.cta});
  return true;
}

[[gnu::always_inline]] inline void SmCore::track_load(Warp& warp, int slot, int entry,
                                                      const WarpInstruction& instruction) {
  LoadSlot& load = warp.loads[entry];
  warp.loads_busy |= 1U << entry;
  load.lines_left = 0;  // set when the queue merges it
  load.destination = instruction.destination;
  load.destination_count = instruction.destination_count;
  load.reader = by_registers;
  if (instruction.first_use != unknown_distance) {
    load.reader = warp.left > instruction.first_use ? warp.left - instruction.first_use : 0;
    if (load.reader > warp.reader) warp.reader = load.reader;
  } else {
    mark_registers(slot, load.destination, load.destination_count, pending);
  }
}

[[gnu::always_inline]] inline void SmCore::mark_registers(int slot, int first, int count,
                                                          std::uint32_t value) {
  std::uint32_t* const file = registers(slot);
  if (count == 1 && first != no_register) {  // the loop costs ten times as much
    file[entry(first)] = value;
    return;
  }
  const int end = std::min(first + count, int{no_register});
  for (int i = first; i < end; ++i) file[entry(i)] = value;
}

[[gnu::always_inline]] inline void SmCore::write_result(int slot, const Warp& warp,
                                                        const WarpInstruction& instruction, Cycle ready) {
  if (instruction.destination == no_register) return;
  const auto value = static_cast<std::uint32_t>(ready - warp.start);
  if (instruction.destination_count == 1)
    registers(slot)[entry(instruction.destination)] = value;
  else
    mark_registers(slot, instruction.destination, instruction.destination_count, value);
}

// The latest of the times from which the sources can be read and the destination can be written again.
[[gnu::always_inline]] inline std::uint32_t SmCore::operands_ready(int slot,
                                                                   const WarpInstruction& instruction) const {
  const std::uint32_t* const file = &registers_[static_cast<std::size_t>(slot) * registers_per_warp];
  const auto& sources = instruction.sources;
  std::uint32_t latest = std::max(file[entry(sources[0])], file[entry(instruction.destination)]);
  std::uint32_t others;
  std::memcpy(&others, &sources[1], sizeof others);
  if (others != none_of_four) {  // a load has one source, most arithmetic two
    // Written out: gcc keeps the loop at -O2, and this runs once per instruction.
    const std::uint32_t first = std::max(file[entry(sources[1])], file[entry(sources[2])]);
    const std::uint32_t second = std::max(file[entry(sources[3])], file[entry(sources[4])]);
    latest = std::max(latest, std::max(first, second));
  }
  if (instruction.destination_count > 1) {
    const int end = std::min(instruction.destination + instruction.destination_count, int{no_register});
    for (int i = instruction.destination + 1; i < end; ++i) latest = std::max(latest, file[entry(i)]);
  }
  return latest;
}

// Decide what warp `slot` does next: it may issue in `from` at the earliest; when that works out to be not
// after `immediate` it is ready at once, else it sleeps, waits for memory, or has come to its end.
[[gnu::always_inline]] inline void SmCore::schedule(int slot, Cycle from, Cycle immediate, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  WarpScheduler& scheduler = schedulers_[warp.scheduler];
  const int position = warp_at(slot).position;
  if (warp.left <= warp.reader) {
    scheduler.clear_ready(position);
    if (warp.left == 0)
      end_of_stream(slot, now);
    else
      waiting_memory_ |= bit(slot);
    return;
  }
  const std::uint32_t ready = operands_ready(slot, *warp.next);
  const Cycle at = std::max(from, warp.start + ready);
  if (at <= immediate) {
    scheduler.set_ready(position);
    return;
  }
  scheduler.clear_ready(position);
  if (ready == pending)
    waiting_memory_ |= bit(slot);
  else
    sleep(slot, at, now);
}

void SmCore::sleep(int slot, Cycle until, Cycle now) {
  warps_[static_cast<std::size_t>(slot)].wake = until;
  sleeping_ |= bit(slot);
  const Cycle at = std::min(until, now + ring_cycles - 1) % ring_cycles;
  ring_[at] |= bit(slot);
  ring_occupied_ |= bit(static_cast<int>(at));
}

void SmCore::wake(int slot, Cycle now) {
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  sleeping_ &= ~bit(slot);
  if (warp.wake > now)
    sleep(slot, warp.wake, now);  // longer than the ring
  else if (warp.left == 0)
    end_of_stream(slot, now);
  else
    schedulers_[warp.scheduler].set_ready(warp_at(slot).position);
}

void SmCore::arrive(int slot, Cycle now) {
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  schedulers_[warp.scheduler].clear_ready(warp_at(slot).position);
  Cta& cta = ctas_[warp.cta];
  cta.arrived |= bit(slot);
  at_barrier_ |= bit(slot);
  release_barrier(cta, now);
}

// When every warp that has not ended has arrived, all go on in the next cycle.
void SmCore::release_barrier(Cta& cta, Cycle now) {
  if (__builtin_popcountll(cta.arrived) < cta.live) return;
  Mask left = cta.arrived;
  cta.arrived = 0;
  at_barrier_ &= ~left;
  for (; left != 0; left &= left - 1) schedule(__builtin_ctzll(left), now + 1, now, now);
}

[[gnu::always_inline]] inline Cycle SmCore::next_timed(Cycle now) const {
  Cycle next = never;
  if (ring_occupied_ != 0) {
    const unsigned shift = static_cast<unsigned>((now + 1) % ring_cycles);
    const Mask ahead = shift == 0 ? ring_occupied_ : ring_occupied_ >> shift | ring_occupied_ << (64 - shift);
    next = now + 1 + static_cast<Cycle>(__builtin_ctzll(ahead));
  }
  if (!hits_.empty()) {
    next = std::min(next, std::max(hits_.front().due, now + 1));
    expect_answer(hits_.front().warp);
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
  account_idle(scheduler, now);
  if (!stopped_) scheduler.idle = idle_reason(scheduler);
}

void SmCore::stop(Cycle now) {
  stopped_ = true;
  for (int i = 0; i < scheduler_count_; ++i) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
    account_idle(scheduler, now);
    scheduler.idle = Idle::stalled;
  }
}

void SmCore::go_on(Cycle now) {
  stopped_ = false;
  for (int i = 0; i < scheduler_count_; ++i) begin_idle(schedulers_[static_cast<std::size_t>(i)], now);
}

Idle SmCore::idle_reason(const WarpScheduler& scheduler) const {
  const Mask slots = scheduler.slots;
  if ((resident_ & slots) == 0) return Idle::no_warp;
  if ((sleeping_ & slots) != 0) return Idle::latency;
  if (scheduler.any_parked()) return Idle::lsu_full;
  if (((waiting_memory_ | draining_) & slots) != 0) return Idle::memory;
  return Idle::barrier;
}

}  // namespace strata
