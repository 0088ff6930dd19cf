#include "models/sm_cluster/sm_core.h"

#include <algorithm>
#include <cassert>

namespace strata {

using traces::OpClass;
using traces::WarpInstruction;

namespace {

std::uint64_t ones(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Bits of a chunk mask; the plain builtin is a library call without -mpopcnt.
unsigned chunk_count(std::uint8_t mask) {
  constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[mask & 15U] + unsigned{bits[mask >> 4]};
}

}  // namespace

SmCore::SmCore(const SmClusterParams& params, SmClusterStats& stats)
    : stats_(stats),
      gto_(params.scheduler == WarpPolicy::gto),
      alu_latency_(params.alu_latency),
      sfu_latency_(params.sfu_latency),
      sfu_interval_(params.sfu_interval),
      shared_latency_(params.shared_latency),
      loads_per_warp_(params.loads_per_warp),
      load_entries_(static_cast<std::uint32_t>(ones(params.loads_per_warp))),
      schedulers_(static_cast<std::size_t>(params.schedulers)),
      scheduler_slots_(static_cast<std::size_t>(params.schedulers)),
      free_slots_(ones(params.warps)),
      warps_(static_cast<std::size_t>(params.warps)),
      registers_(static_cast<std::size_t>(params.warps) * registers_per_warp),
      load_slots_(static_cast<std::size_t>(params.warps * params.loads_per_warp)),
      lsu_(params.lsu_depth, static_cast<unsigned>(params.line.count)),
      occupancy_(params),
      ctas_(static_cast<std::size_t>(params.ctas)),
      free_ctas_(ones(params.ctas)) {
  for (int slot = 0; slot < params.warps; ++slot) {
    const int scheduler = slot % params.schedulers;
    warps_[static_cast<std::size_t>(slot)].scheduler = static_cast<std::uint8_t>(scheduler);
    scheduler_slots_[static_cast<std::size_t>(scheduler)] |= bit(slot);
  }
}

void SmCore::launch(const traces::KernelInfo& kernel, std::shared_ptr<const traces::CtaTrace> trace,
                    Cycle now) {
  assert(free_ctas_ != 0 && occupancy_.room(kernel) > 0);
  const int index = __builtin_ctzll(free_ctas_);
  free_ctas_ &= free_ctas_ - 1;
  if (occupancy_.ctas() == 0) active_since_ = now;
  occupancy_.take(Occupancy::cost(kernel));
  const std::size_t warps = trace->warps();
  Cta& cta = ctas_[static_cast<std::size_t>(index)];
  cta.kernel = &kernel;
  cta.slots = cta.arrived = 0;
  cta.live = static_cast<int>(warps);
  ++stats_.ctas_launched;
  ++stats_.ctas_resident;
  stats_.warps_launched += warps;
  stats_.warps_resident += warps;
  stats_.records_launched += trace->instructions.size();
  for (std::size_t w = 0; w < warps; ++w) {
    const int slot = __builtin_ctzll(free_slots_);
    free_slots_ &= free_slots_ - 1;
    cta.slots |= bit(slot);
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    warp.next = trace->instructions.data() + trace->warp_begin[w];
    warp.end = warp.first_reader = trace->instructions.data() + trace->warp_begin[w + 1];
    warp.start = now;
    warp.loads_busy = 0;
    warp.queued = 0;
    warp.cta = static_cast<std::uint8_t>(index);
    std::fill_n(registers(slot), registers_per_warp, 0U);
    schedulers_[warp.scheduler].add(slot, position_);
    // A warp without instructions ends when it wakes: wake() looks.
    sleep(slot, now + 1, now);
  }
  resident_ |= cta.slots;
  cta.trace = std::move(trace);
  if (warps == 0) end_cta(index, now);
}

void SmCore::begin(Cycle now) {
  while (!answers_.empty() && answers_.front().due <= now) {
    const Answer answer = answers_.front();
    answers_.pop();
    if (answer.slot != flush_slot) ++stats_.round_trips;
    complete(answer, now);
  }
  while (!hits_.empty() && hits_.front().due <= now) {
    const Answer answer = hits_.front();
    hits_.pop();
    if (answer.slot != flush_slot) ++stats_.answered_at_once;
    complete(answer, now);
  }
  Mask& due = ring_[now % ring_cycles];
  if (due == 0) return;
  Mask left = due;
  due = 0;
  ring_occupied_ &= ~bit(static_cast<int>(now % ring_cycles));
  for (; left != 0; left &= left - 1) wake(__builtin_ctzll(left), now);
}

void SmCore::answer_at_once(Cycle at, std::uint8_t warp, std::uint8_t slot) {
  hits_.push({at + 1, warp, slot});
  // An L1 has one hit latency, so the order is that of sending; a foreign target may answer out of order.
  for (std::size_t i = hits_.size() - 1; i > 0 && hits_.at(i).due < hits_.at(i - 1).due; --i)
    std::swap(hits_.at(i), hits_.at(i - 1));
}

Cycle SmCore::next_wake(Cycle now) const {
  Cycle next = never;
  const bool room = !lsu_.full();
  for (const WarpScheduler& scheduler : schedulers_)
    if (scheduler.any_ready(room)) next = std::min(next, std::max(scheduler.free_at, now + 1));
  if (next == now + 1) return next;
  if (ring_occupied_ != 0) {
    const unsigned shift = static_cast<unsigned>((now + 1) % ring_cycles);
    const Mask ahead = shift == 0 ? ring_occupied_ : ring_occupied_ >> shift | ring_occupied_ << (64 - shift);
    next = std::min(next, now + 1 + static_cast<Cycle>(__builtin_ctzll(ahead)));
  }
  if (!hits_.empty()) next = std::min(next, std::max(hits_.front().due, now + 1));
  return next;
}

void SmCore::complete(const Answer& answer, Cycle now) {
  if (answer.slot == flush_slot) {
    ++flush_answers_;
    return;
  }
  --in_flight_;
  --stats_.lines_in_flight;
  if (answer.slot == no_load_slot) return;
  if (--load_slot(answer.warp, answer.slot).lines_left == 0) finish_load(answer.warp, answer.slot, now);
}

void SmCore::finish_load(int slot, int entry, Cycle now) {
  Warp& warp = warps_[static_cast<std::size_t>(slot)];
  const LoadSlot& load = load_slot(slot, entry);
  warp.loads_busy &= ~(1U << entry);
  if (load.reader == nullptr) {
    mark_registers(slot, load.destination, load.destination_count, 0);
  } else if (load.reader == warp.first_reader) {
    warp.first_reader = warp.end;
    for (std::uint32_t left = warp.loads_busy; left != 0; left &= left - 1) {
      const WarpInstruction* reader = load_slot(slot, __builtin_ctz(left)).reader;
      if (reader != nullptr && reader < warp.first_reader) warp.first_reader = reader;
    }
  }
  if ((waiting_memory_ & bit(slot)) != 0) {
    waiting_memory_ &= ~bit(slot);
    schedule(slot, now, now, now);
  } else if ((draining_ & bit(slot)) != 0) {
    end_of_stream(slot, now);
  }
}

bool SmCore::line_waiting(Cycle now) {
  while (lsu_.has_turn(now)) {
    if (lsu_.merged()) return true;
    const int lines = lsu_.merge();
    const MemoryOp op = lsu_.head();
    if (op.slot != no_load_slot) load_slot(op.warp, op.slot).lines_left = static_cast<std::uint16_t>(lines);
    if (lines > 0) return true;
    if (op.slot != no_load_slot) finish_load(op.warp, op.slot, now);  // no lane has an address
    leave_queue(now);
  }
  return false;
}

void SmCore::line_sent(Cycle now) {
  const OpClass op = lsu_.head().instruction->op;
  ++in_flight_;
  ++stats_.lines_in_flight;
  ++stats_.line_accesses;
  ++(op == OpClass::store    ? stats_.store_lines
     : op == OpClass::atomic ? stats_.atomic_lines
                             : stats_.load_lines);
  stats_.sectors += chunk_count(lsu_.line().chunks);
  stats_.link_wait_cycles += now - lsu_.turn();
  if (lsu_.sent(now)) leave_queue(now);
}

void SmCore::leave_queue(Cycle now) {
  const int slot = lsu_.head().warp;
  lsu_.pop();
  --warps_[static_cast<std::size_t>(slot)].queued;
  if ((draining_ & bit(slot)) != 0) end_of_stream(slot, now);
}

void SmCore::end_of_stream(int slot, Cycle now) {
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  if (warp.loads_busy != 0 || warp.queued != 0) {
    draining_ |= bit(slot);
    return;
  }
  draining_ &= ~bit(slot);
  retire(slot, now);
}

void SmCore::retire(int slot, Cycle now) {
  const Warp& warp = warps_[static_cast<std::size_t>(slot)];
  WarpScheduler& scheduler = schedulers_[warp.scheduler];
  scheduler.remove(position_[static_cast<std::size_t>(slot)]);
  resident_ &= ~bit(slot);
  note_idle(scheduler, now);
  ++stats_.warps_done;
  --stats_.warps_resident;
  Cta& cta = ctas_[warp.cta];
  if (--cta.live == 0) {
    end_cta(warp.cta, now);
  } else if (cta.arrived != 0) {
    release_barrier(cta, now);  // a warp that has ended is not waited for
  }
}

void SmCore::end_cta(int index, Cycle now) {
  Cta& cta = ctas_[static_cast<std::size_t>(index)];
  free_slots_ |= cta.slots;
  free_ctas_ |= bit(index);
  occupancy_.give_back(Occupancy::cost(*cta.kernel));
  finished_.push(cta.kernel->id);
  cta.trace.reset();
  ++stats_.ctas_done;
  --stats_.ctas_resident;
  if (occupancy_.ctas() == 0) stats_.active_cycles += now - active_since_;
}

bool SmCore::take_finished(std::uint32_t& kernel) {
  if (finished_.empty()) return false;
  kernel = finished_.front();
  finished_.pop();
  return true;
}

bool SmCore::take_flush_answer() {
  if (flush_answers_ == 0) return false;
  --flush_answers_;
  return true;
}

SmCore::Waiting SmCore::waiting() const {
  int parked = 0;
  for (const WarpScheduler& scheduler : schedulers_) parked += scheduler.parked();
  return {__builtin_popcountll(waiting_memory_ | draining_), parked, __builtin_popcountll(at_barrier_)};
}

void SmCore::account_idle(WarpScheduler& scheduler, Cycle now) {
  if (now <= scheduler.free_at) return;
  stats_.idle[static_cast<std::size_t>(scheduler.idle)] += now - scheduler.free_at;
  scheduler.free_at = now;
}

// Called when warps were taken out of the ready ones: when none is left, the idle cycles that follow have a
// reason.
void SmCore::note_idle(WarpScheduler& scheduler, Cycle now) {
  if (scheduler.any_ready(!lsu_.full())) return;
  account_idle(scheduler, now);
  scheduler.idle = idle_reason(scheduler);
}

Idle SmCore::idle_reason(const WarpScheduler& scheduler) const {
  const Mask slots = scheduler_slots_[static_cast<std::size_t>(&scheduler - schedulers_.data())];
  if ((resident_ & slots) == 0) return Idle::no_warp;
  if ((sleeping_ & slots) != 0) return Idle::latency;
  if (scheduler.any_parked()) return Idle::lsu_full;
  if (((waiting_memory_ | draining_) & slots) != 0) return Idle::memory;
  return Idle::barrier;
}

void SmCore::settle(Cycle now) {
  for (WarpScheduler& scheduler : schedulers_) {
    account_idle(scheduler, now);
    stats_.scheduler_cycles += scheduler.free_at - scheduler.counted;
    scheduler.counted = scheduler.free_at;
  }
  if (occupancy_.ctas() != 0) stats_.active_cycles += now - active_since_;
  active_since_ = now;
}

}  // namespace strata
