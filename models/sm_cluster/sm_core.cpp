#include "models/sm_cluster/sm_core.h"

#include <algorithm>
#include <cassert>

namespace strata {

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
    : stats_(&stats),
      gto_(params.scheduler == WarpPolicy::gto),
      alu_latency_(params.alu_latency),
      alu_interval_(static_cast<unsigned>(params.alu_interval)),
      sfu_latency_(params.sfu_latency),
      sfu_interval_(params.sfu_interval),
      shared_latency_(params.shared_latency),
      load_entries_(static_cast<std::uint32_t>(ones(params.loads_per_warp))),
      scheduler_count_(params.schedulers),
      free_slots_(ones(params.warps)),
      warps_(static_cast<std::size_t>(params.warps)),
      registers_(static_cast<std::size_t>(params.warps)),
      lsu_(params.lsu_depth, static_cast<unsigned>(params.line.count)),
      occupancy_(params),
      ctas_(static_cast<std::size_t>(params.ctas)),
      readers_(static_cast<std::size_t>(params.warps)),
      windows_(static_cast<std::size_t>(params.warps) * window),
      free_ctas_(ones(params.ctas)) {
  for (int slot = 0; slot < params.warps; ++slot) {
    const int scheduler = slot % params.schedulers;
    warps_[static_cast<std::size_t>(slot)].scheduler = static_cast<std::uint8_t>(scheduler);
    schedulers_[static_cast<std::size_t>(scheduler)].slots |= bit(slot);
  }
}

void SmCore::launch(const KernelInfo& kernel, const CtaTrace& trace, Cycle now) {
  assert(free_ctas_ != 0 && occupancy_.room(kernel) > 0);
  const int index = __builtin_ctzll(free_ctas_);
  free_ctas_ &= free_ctas_ - 1;
  if (occupancy_.ctas() == 0) {
    active_since_ = now;
    forms_.clear();
  }
  occupancy_.take(Occupancy::cost(kernel));
  const std::size_t warps = trace.warps();
  ResidentCta& cta = ctas_[static_cast<std::size_t>(index)];
  cta.trace.pack(trace, forms_);
  cta.kernel = &kernel;
  cta.slots = cta.arrived = 0;
  cta.live = static_cast<int>(warps);
  cta.index = static_cast<std::uint32_t>(trace.index);
  cta.kernel_id = kernel.id;
  cta.application = static_cast<std::uint8_t>(kernel.application);
  ++stats_->ctas_launched;
  ++stats_->ctas_resident;
  stats_->warps_launched += warps;
  stats_->warps_resident += warps;
  stats_->records_launched += trace.instructions.size();
  for (std::size_t w = 0; w < warps; ++w) {
    const int slot = __builtin_ctzll(free_slots_);
    free_slots_ &= free_slots_ - 1;
    cta.slots |= bit(slot);
    WarpState& warp = warps_[static_cast<std::size_t>(slot)];
    readers_[static_cast<std::size_t>(slot)] = cta.trace.warp(w);
    warp.left = trace.warp_begin[w + 1] - trace.warp_begin[w];
    if (warp.left != 0) fill_window(slot);
    warp.reader = 0;
    warp.start = now;
    warp.loads_busy = 0;
    warp.queued = 0;
    warp.cta = static_cast<std::uint8_t>(index);
    registers_.clear(slot);
    schedulers_[warp.scheduler].add(slot, [this](int moved, int position) {
      warp_at(moved).position = static_cast<std::uint8_t>(position);
    });
    // A warp without instructions ends when it wakes: wake() looks.
    sleep(slot, now + 1, now);
  }
  resident_ |= cta.slots;
  if (warps == 0) end_cta(index, now);
}

void SmCore::fill_window(int slot) {
  WarpState& warp = warp_at(slot);
  WarpInstruction* const first = &windows_[static_cast<std::size_t>(slot) * window];
  PackedCta::read(readers_[static_cast<std::size_t>(slot)], forms_, first, (warp.left - 1) % window + 1);
  warp.next = first;
}

// Merge instructions from the head of the queue on until one has a line to send.
bool SmCore::merge_next(Cycle now) {
  do {
    const MemoryOp& op = lsu_.head();
    const int lines = lsu_.merge(ctas_[op.cta_slot].trace);
    if (op.slot != no_load_slot)
      warp_at(op.warp).loads[op.slot].lines_left = static_cast<std::uint8_t>(lines);
    if (lines > 0) return true;
    if (op.slot != no_load_slot) finish_load(op.warp, op.slot, now);  // no lane has an address
    leave_queue(now);
  } while (lsu_.has_turn(now));
  return false;
}

void SmCore::line_sent(Cycle now) {
  const OpClass op = lsu_.head().instruction.op;
  ++in_flight_;
  ++stats_->lines_in_flight;
  ++stats_->line_accesses;
  ++(op == OpClass::store    ? stats_->store_lines
     : op == OpClass::atomic ? stats_->atomic_lines
                             : stats_->load_lines);
  stats_->sectors += chunk_count(lsu_.line().chunks);
  stats_->link_wait_cycles += now - lsu_.turn();
  if (lsu_.sent(now)) leave_queue(now);
}

void SmCore::leave_queue(Cycle now) {
  const int slot = lsu_.head().warp;
  lsu_.pop();
  --warps_[static_cast<std::size_t>(slot)].queued;
  if ((draining_ & bit(slot)) != 0) end_of_stream(slot, now);
}

void SmCore::end_of_stream(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  if (warp.loads_busy != 0 || warp.queued != 0) {
    draining_ |= bit(slot);
    return;
  }
  draining_ &= ~bit(slot);
  retire(slot, now);
}

void SmCore::retire(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  WarpScheduler& scheduler = schedulers_[warp.scheduler];
  scheduler.remove(warp.position);
  resident_ &= ~bit(slot);
  note_idle(scheduler, now);
  ++stats_->warps_done;
  --stats_->warps_resident;
  ResidentCta& cta = ctas_[warp.cta];
  if (--cta.live == 0) {
    end_cta(warp.cta, now);
  } else if (cta.arrived != 0) {
    release_barrier(cta, now);  // a warp that has ended is not waited for
  }
}

void SmCore::end_cta(int index, Cycle now) {
  ResidentCta& cta = ctas_[static_cast<std::size_t>(index)];
  free_slots_ |= cta.slots;
  free_ctas_ |= bit(index);
  occupancy_.give_back(Occupancy::cost(*cta.kernel));
  finished_.push(cta.kernel->id);
  cta.trace.clear();
  ++stats_->ctas_done;
  --stats_->ctas_resident;
  if (occupancy_.ctas() == 0) stats_->active_cycles += now - active_since_;
}

bool SmCore::take_finished(std::uint32_t& kernel) {
  if (finished_.empty()) return false;
  kernel = finished_.front();
  finished_.pop();
  return true;
}

SmCore::Waiting SmCore::waiting() const {
  int parked = 0;
  for (int i = 0; i < scheduler_count_; ++i) parked += schedulers_[static_cast<std::size_t>(i)].parked();
  return {__builtin_popcountll(waiting_memory_ | draining_), parked, __builtin_popcountll(at_barrier_)};
}

void SmCore::settle(Cycle now) {
  for (int i = 0; i < scheduler_count_; ++i) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
    account_idle(scheduler, now);
    stats_->scheduler_cycles += scheduler.free_at - scheduler.counted;
    scheduler.counted = scheduler.free_at;
  }
  if (occupancy_.ctas() != 0) stats_->active_cycles += now - active_since_;
  active_since_ = now;
}

}  // namespace strata
