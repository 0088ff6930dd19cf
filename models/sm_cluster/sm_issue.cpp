// Issue, scoreboard and barriers of SmCore; sm_core.cpp holds residence, memory answers and the queue.
#include <algorithm>

#include "models/sm_cluster/sm_core.h"

namespace strata {

using traces::no_register;
using traces::OpClass;
using traces::WarpInstruction;

namespace {

// Active lanes; the plain builtin is a library call without -mpopcnt, and most masks are full.
unsigned lanes(std::uint32_t mask) {
  return mask == ~0U ? 32 : static_cast<unsigned>(__builtin_popcount(mask));
}

}  // namespace

void SmCore::issue(Cycle now) {
  for (WarpScheduler& scheduler : schedulers_) {
    // Each turn issues, which moves free_at, or takes a warp that cannot issue out of the ready ones.
    for (bool room = !lsu_.full(); scheduler.free_at <= now && scheduler.any_ready(room); room = !lsu_.full())
      try_issue(scheduler, gto_ ? scheduler.pick_gto(room) : scheduler.pick_lrr(room), now);
  }
}

void SmCore::try_issue(WarpScheduler& scheduler, int position, Cycle now) {
  const int slot = scheduler.slot_at(position);
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const WarpInstruction& instruction = *warp.next;
  const unsigned weight = instruction.weight != 0 ? instruction.weight : 1;
  switch (instruction.op) {
    case OpClass::sfu:
      if (!issue_sfu(scheduler, slot, static_cast<int>(weight), now)) return note_idle(scheduler, now);
      break;
    case OpClass::shared_load:
    case OpClass::shared_store:
      if (!issue_shared(scheduler, slot, now)) return note_idle(scheduler, now);
      break;
    case OpClass::load:
    case OpClass::read_only_load:
    case OpClass::store:
    case OpClass::atomic:
      if (!issue_memory(scheduler, slot, now)) return note_idle(scheduler, now);
      break;
    default:  // arithmetic, and all that only takes an issue slot
      write_result(slot, warp, instruction, now + weight - 1 + static_cast<Cycle>(alu_latency_));
      break;
  }
  if (scheduler.free_at != now) account_idle(scheduler, now);
  scheduler.free_at = now + weight;
  scheduler.issued(position);
  stats_.issue_cycles += weight;
  stats_.warp_instructions += weight;
  stats_.instructions[static_cast<std::size_t>(instruction.op)] += weight;
  stats_.thread_instructions += lanes(instruction.active_mask) * weight;
  ++stats_.records_issued;
  ++warp.next;
  if (instruction.op == OpClass::barrier)
    arrive(slot, now);
  else
    schedule(slot, now + 1, now + weight, now);
  note_idle(scheduler, now);
}

bool SmCore::issue_sfu(WarpScheduler& scheduler, int slot, int weight, Cycle now) {
  if (scheduler.sfu_free > now) {
    scheduler.clear_ready(position_[static_cast<std::size_t>(slot)]);
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
    scheduler.clear_ready(position_[static_cast<std::size_t>(slot)]);
    sleep(slot, shared_free_, now);
    return false;
  }
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const Cta& cta = ctas_[warp.cta];
  const int degree = traces::shared_conflict_degree(*warp.next, *cta.trace);
  const Cycle extra = degree > 1 ? static_cast<Cycle>(degree - 1) : 0;
  stats_.shared_conflict_cycles += extra;
  shared_free_ = now + 1 + extra;
  write_result(slot, warp, *warp.next, now + extra + static_cast<Cycle>(shared_latency_));
  return true;
}

bool SmCore::issue_memory(WarpScheduler& scheduler, int slot, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const WarpInstruction& instruction = *warp.next;
  if (lsu_.full()) {
    scheduler.park(position_[static_cast<std::size_t>(slot)]);
    return false;
  }
  std::uint8_t entry = no_load_slot;
  const bool returns = instruction.destination != no_register || instruction.first_use != 0;
  if (instruction.op != OpClass::store && (returns || instruction.op != OpClass::atomic)) {
    const std::uint32_t free = load_entries_ & ~warp.loads_busy;
    if (free == 0) {
      scheduler.clear_ready(position_[static_cast<std::size_t>(slot)]);
      waiting_memory_ |= bit(slot);
      return false;
    }
    entry = static_cast<std::uint8_t>(__builtin_ctz(free));
    track_load(warp, slot, entry, instruction);
  }
  ++warp.queued;
  lsu_.push({&instruction, ctas_[warp.cta].trace.get(), now, static_cast<std::uint8_t>(slot), entry});
  return true;
}

void SmCore::track_load(Warp& warp, int slot, int entry, const WarpInstruction& instruction) {
  LoadSlot& load = load_slot(slot, entry);
  warp.loads_busy |= 1U << entry;
  load.lines_left = 0;  // set when the queue merges it
  load.destination = instruction.destination;
  load.destination_count = instruction.destination_count;
  load.reader = nullptr;
  if (instruction.first_use != traces::unknown_distance) {
    load.reader =
        warp.end - &instruction > instruction.first_use ? &instruction + instruction.first_use : warp.end;
    if (load.reader < warp.first_reader) warp.first_reader = load.reader;
  } else {
    mark_registers(slot, load.destination, load.destination_count, pending);
  }
}

void SmCore::mark_registers(int slot, int first, int count, std::uint32_t value) {
  const int end = std::min(first + count, int{no_register});
  std::uint32_t* const file = registers(slot);
  for (int i = first; i < end; ++i) file[i] = value;
}

void SmCore::write_result(int slot, const Warp& warp, const WarpInstruction& instruction, Cycle ready) {
  if (instruction.destination == no_register) return;
  const auto value = static_cast<std::uint32_t>(ready - warp.start);
  if (instruction.destination_count == 1)
    registers(slot)[instruction.destination] = value;
  else
    mark_registers(slot, instruction.destination, instruction.destination_count, value);
}

// The latest of the times from which the sources can be read and the destination can be written again.
std::uint32_t SmCore::operands_ready(int slot, const WarpInstruction& instruction) const {
  const std::uint32_t* const file = &registers_[static_cast<std::size_t>(slot) * registers_per_warp];
  const auto& sources = instruction.sources;
  // Written out: gcc keeps the loop at -O2, and this runs once per instruction.
  const std::uint32_t first = std::max(file[sources[0]], file[sources[1]]);
  const std::uint32_t second = std::max(file[sources[2]], file[sources[3]]);
  const std::uint32_t third = std::max(file[sources[4]], file[instruction.destination]);
  std::uint32_t latest = std::max(std::max(first, second), third);
  if (instruction.destination_count > 1) {
    const int end = std::min(instruction.destination + instruction.destination_count, int{no_register});
    for (int i = instruction.destination + 1; i < end; ++i) latest = std::max(latest, file[i]);
  }
  return latest;
}

// Decide what warp `slot` does next: it may issue in `from` at the earliest; when that works out to be not
// after `immediate` it is ready at once, else it sleeps, waits for memory, or has come to its end.
void SmCore::schedule(int slot, Cycle from, Cycle immediate, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  WarpScheduler& scheduler = schedulers_[warp.scheduler];
  const int position = position_[static_cast<std::size_t>(slot)];
  if (warp.next >= warp.first_reader) {
    scheduler.clear_ready(position);
    if (warp.next == warp.end)
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
  else if (warp.next == warp.end)
    end_of_stream(slot, now);
  else
    schedulers_[warp.scheduler].set_ready(position_[static_cast<std::size_t>(slot)]);
}

void SmCore::arrive(int slot, Cycle now) {
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  schedulers_[warp.scheduler].clear_ready(position_[static_cast<std::size_t>(slot)]);
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

}  // namespace strata
