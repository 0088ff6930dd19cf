#include <algorithm>
#include <utility>

#include "models/sm_cluster/sm_core_inline.h"

namespace strata {

SmCore::SmCore(const SmClusterParams& params, SmClusterStats& stats, std::shared_ptr<CtaDecoder> decoder)
    : load_entries_(~std::uint32_t{0} >> (32 - params.loads_per_warp)),
      alu_interval_(static_cast<unsigned>(params.alu_interval)),
      gto_(params.scheduler == WarpPolicy::gto),
      oldest_first_(params.arbitration == Arbitration::oldest),
      plain_(!oldest_first_ && params.collectors == 0 && params.instruction_buffer == 0),
      awaits_stores_(params.await_stores),
      warps_(std::make_unique<WarpState[]>(static_cast<std::size_t>(params.warps))),
      lsu_(params.lsu_depth, static_cast<unsigned>(params.line.count), params.replies == ReplyData::words,
           params.asks == Asked::parts),
      scheduler_count_(params.schedulers),
      collectors_(params.collectors),
      ctas_(params, std::move(decoder)),
      timings_(params),
      results_(static_cast<std::size_t>(params.warps)),
      ages_(static_cast<std::size_t>(params.warps)),
      buffers_(params),
      stores_left_(params.await_stores ? static_cast<std::size_t>(params.warps) : 0),
      places_(params),
      copies_(params),
      packet_words_(static_cast<unsigned>(params.line.count) / word_bytes) {
  groups_left_.fill(-1);
  count_into(stats);
  for (std::size_t i = 0; i < max_schedulers; ++i) {
    schedulers_[i].number = static_cast<std::uint8_t>(i);
    if (params.scheduler > WarpPolicy::lrr)
      schedulers_[i].use(WarpOrderRow::table().at(params.scheduler).make(params));
  }
  for (int slot = 0; slot < params.warps; ++slot) {
    const int scheduler = slot % params.schedulers;
    warps_[static_cast<std::size_t>(slot)].scheduler = static_cast<std::uint8_t>(scheduler);
    schedulers_[static_cast<std::size_t>(scheduler)].slots |= bit(slot);
  }
}

void SmCore::count_into(SmClusterStats& stats) {
  stats_ = &stats;
  stats.busy_units = timings_.busy();
}

void SmCore::launch(const KernelInfo& kernel, const CtaTrace& trace, Cycle now) {
  if (ctas_.empty()) active_since_ = now;
  const int place = ctas_.start(kernel, trace);
  const ResidentCta& cta = ctas_[static_cast<std::size_t>(place)];
  const std::size_t warps = trace.warps();
  ++stats_->ctas_launched;
  ++stats_->ctas_resident;
  stats_->warps_launched += warps;
  stats_->warps_resident += warps;
  stats_->records_launched += trace.instructions.size();
  std::size_t w = 0;
  for (Mask left = cta.slots; left != 0; left &= left - 1, ++w) {
    const int slot = __builtin_ctzll(left);
    WarpState& warp = warp_at(slot);
    warp.left = trace.warp_begin[w + 1] - trace.warp_begin[w];
    next_of(slot) = cta.code.warp(w);
    warp.reader = 0;
    warp.loads_busy = 0;
    warp.queued = 0;
    warp.cta = static_cast<std::uint8_t>(place);
    ages_[static_cast<std::size_t>(slot)] = launched_++;
    buffers_.fill(slot);
    schedulers_[warp.scheduler].add(slot, [this](int moved, int position) {
      warp_at(moved).position = static_cast<std::uint8_t>(position);
    });
    // A warp without instructions ends when it wakes: wake() looks.
    sleep(slot, now + 1, now);
  }
  if (warps == 0) end_cta(place, now);
}

void SmCore::end_of_stream(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  const bool stores = awaits_stores_ && stores_left_[static_cast<std::size_t>(slot)] != 0;
  if (warp.loads_busy != 0 || warp.queued != 0 || stores || !copies_.idle(slot)) {
    waits_.draining |= bit(slot);
    return;
  }
  waits_.draining &= ~bit(slot);
  copies_.forget(slot);
  retire(slot, now);
}

// A line of a store or of an atomic without a result is answered.
void SmCore::end_store(int slot, Cycle now) {
  --stores_left_[static_cast<std::size_t>(slot)];
  if ((waits_.draining & bit(slot)) != 0) end_of_stream(slot, now);
}

void SmCore::retire(int slot, Cycle now) {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  WarpScheduler& scheduler = schedulers_[warp.scheduler];
  scheduler.remove(warp.position);
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

void SmCore::end_cta(int place, Cycle now) {
  const ResidentCta& ended = ctas_[static_cast<std::size_t>(place)];
  if (meeting_ != nullptr)
    meeting_->barriers().end({ended.kernel_id, ended.cluster},
                             static_cast<unsigned>(ended.kernel->cluster.count()));
  ctas_.end(place);
  ended_ = true;
  ++stats_->ctas_done;
  --stats_->ctas_resident;
  if (ctas_.empty()) stats_->active_cycles += now - active_since_;
}

WaitingWarps SmCore::waiting() const {
  int parked = 0;
  for (int i = 0; i < scheduler_count_; ++i) parked += schedulers_[static_cast<std::size_t>(i)].parked();
  return {__builtin_popcountll(waits_.memory | waits_.engine | waits_.draining | waits_.network), parked,
          __builtin_popcountll(waits_.barrier)};
}

Cycle SmCore::wait_began(int slot, Cycle now) const {
  const WarpState& warp = warps_[static_cast<std::size_t>(slot)];
  if (warp.left > warp.reader) return now;
  return std::max(now + 1, schedulers_[warp.scheduler].free_at);
}

void SmCore::settle(Cycle now) {
  for (int i = 0; i < scheduler_count_; ++i) {
    WarpScheduler& scheduler = schedulers_[static_cast<std::size_t>(i)];
    scheduler.account_idle(stats_->idle, now);
    stats_->scheduler_cycles += scheduler.free_at - scheduler.counted;
    scheduler.counted = scheduler.free_at;
  }
  if (!ctas_.empty()) stats_->active_cycles += now - active_since_;
  active_since_ = now;
}

bool SmCore::take_finished(std::uint32_t& kernel) {
  ended_ = ctas_.take_finished(kernel);
  return ended_;
}

}  // namespace strata
