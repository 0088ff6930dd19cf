#include "models/cta_dispatcher/kernel_queue.h"

#include <algorithm>

namespace strata {
namespace {

/// Of this module in this run: the same on every machine.
std::mt19937_64 generator_of(std::uint64_t seed, const std::string& name) {
  std::vector<std::uint32_t> words(name.begin(), name.end());
  words.push_back(static_cast<std::uint32_t>(seed));
  words.push_back(static_cast<std::uint32_t>(seed >> 32));
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

}  // namespace

KernelQueue::KernelQueue(KernelQueueHost& host, int index, const CtaDispatcherParams& params,
                         const Application& application, std::uint64_t seed, const std::string& jitter_name)
    : host_(host),
      index_(index),
      params_(params),
      application_(application),
      stats_(host.queue_stats()),
      placement_(make_placement(params)),
      jitter_(generator_of(seed, jitter_name)) {
  view_.room = [this](const SmPlace& place) { return room(place); };
}

void KernelQueue::elaborate() {
  for (int c = 0; c < params_.clusters; ++c) {
    if (application_.sms == 0) application_.sms = host_.cluster_at(c).sms();
    view_.sms.push_back(application_.sms);
    full_.emplace_back(static_cast<std::size_t>(application_.sms), false);
  }
}

// One call runs through as many phases as end in this cycle; each phase that waits returns and is woken by an
// event.
void KernelQueue::advance(Cycle now) {
  if (host_.failed()) return;
  if (phase_ == KernelPhase::launching) {
    if (!started_) begin_kernel(now);
    if (phase_ != KernelPhase::launching || host_.failed()) return;
    if (now < first_launch_) return book(first_launch_);
    enter(KernelPhase::running, now);
    if (KernelBoundaryIf* const boundary = host_.boundary_if()) {
      boundary->kernel_began(kernel().application, now);
      watch_atomics_ = boundary->wants_atomics();
    }
  }
  if (phase_ == KernelPhase::running) {
    launch_ctas(now);
    if (left_to_launch_ != 0 || running_ != 0 || host_.failed()) return;
    enter(KernelPhase::draining, now);
  }
  if (phase_ == KernelPhase::draining) {
    for (int c = 0; c < params_.clusters; ++c)
      if (!host_.cluster_at(c).is_drained(index_)) return;
    begin_flush(now);
  }
  if (phase_ == KernelPhase::flushing) {
    if (flushes_left_ != 0) return;
    begin_boundary(now);
  }
  if (phase_ == KernelPhase::boundary) {
    if (boundary_done_ == never) return;
    if (now < boundary_done_) return book(boundary_done_);
    end_kernel(now);
  }
}

void KernelQueue::enter(KernelPhase phase, Cycle now) {
  stats_.phase_cycles[static_cast<std::size_t>(phase_)] += now - phase_since_;
  phase_ = phase;
  phase_since_ = now;
}

void KernelQueue::begin_kernel(Cycle now) {
  if (kernel_ == application_.source->kernels().size()) {
    if (passes_++ == 0) {
      end_cycle_ = now;
      if (application_.ended) application_.ended(now);
    }
    if (!application_.repeat || kernel_ == 0) return enter(KernelPhase::finished, now);
    kernel_ = 0;
  }
  std::string limiter;
  std::vector<int> per_sm;  // of each cluster
  for (int c = 0; c < params_.clusters; ++c)
    per_sm.push_back(host_.cluster_at(c).occupancy(kernel(), &limiter));
  if (std::all_of(per_sm.begin(), per_sm.end(), [](int some) { return some == 0; })) {
    return host_.fail(std::make_exception_ptr(TraceError(
        {{application_.source->description(), 0, 0},
         "kernel " + std::to_string(kernel_) + " '" + kernel().name + "' fits no SM: it needs " + limiter})));
  }
  started_ = true;
  for (const MemcpyInfo& copy : application_.source->copies())
    if (params_.copies == CopyPolicy::warm && copy.before_kernel == kernel_) host_.copied(copy);
  kernel_spans_.push_back({kernel_, now, never});
  first_launch_ = now + static_cast<Cycle>(params_.kernel_launch_latency);
  left_to_launch_ = kernel().ctas();
  placement_->begin(left_to_launch_, per_sm);
  for (auto& sms : full_) std::fill(sms.begin(), sms.end(), false);
  ++stats_.kernels_launched;
  ++stats_.kernels_running;
}

void KernelQueue::launch_ctas(Cycle now) {
  if (full_since_ != never) {
    stats_.full_cycles += now - full_since_;
    full_since_ = never;
  }
  if (now < next_launch_ && left_to_launch_ != 0) return book(next_launch_);
  for (int n = 0; n < params_.ctas_per_cycle && left_to_launch_ != 0; ++n) {
    std::uint64_t cta = 0;
    SmPlace place;
    if (!placement_->next(view_, cta, place)) {
      full_since_ = now;  // the next end of a CTA wakes us
      return;
    }
    launch(cta, place);
    if (host_.failed() || pause_after_launch(now)) return;
  }
  if (left_to_launch_ != 0) book(now + 1);
}

void KernelQueue::launch(std::uint64_t cta, const SmPlace& place) {
  std::shared_ptr<const CtaTrace> trace;
  try {
    trace = application_.source->fetch(kernel().id, cta);
    if (trace->warps() > kernel().warps_per_cta())
      throw TraceError({{application_.source->description(), 0, 0},
                        "kernel " + std::to_string(kernel_) + " CTA " + std::to_string(cta) + " has " +
                            std::to_string(trace->warps()) + " warps; its block size allows " +
                            std::to_string(kernel().warps_per_cta())});
  } catch (const std::exception&) {
    return host_.fail(std::current_exception());  // SystemC's kernel must not see it
  }
  if (watch_atomics_) look_for_atomics(*trace);
  host_.cluster_at(place.cluster).launch(application_.first_sm + place.sm, kernel(), std::move(trace));
  --left_to_launch_;
  ++running_;
  ++ctas_launched_;
  ++stats_.ctas_launched;
  ++stats_.ctas_running;
}

/// Draws the pause behind a CTA that was launched in `now`; true when there is one.
bool KernelQueue::pause_after_launch(Cycle now) {
  if (params_.launch_jitter == 0) return false;
  // The remainder favours small values by less than 2^-43; a distribution of the library differs between
  // libraries, and results must not.
  const Cycle pause = jitter_() % (static_cast<Cycle>(params_.launch_jitter) + 1);
  if (pause == 0) return false;
  next_launch_ = now + 1 + pause;
  if (left_to_launch_ != 0) book(next_launch_);
  return true;
}

Cycle KernelQueue::pauses_until() const {
  if (phase_ == KernelPhase::launching) return first_launch_;
  if (phase_ == KernelPhase::running) return left_to_launch_ != 0 ? next_launch_ : 0;
  return phase_ == KernelPhase::boundary && boundary_done_ != never ? boundary_done_ : 0;
}

void KernelQueue::look_for_atomics(const CtaTrace& cta) {
  const auto is_atomic = [](const WarpInstruction& i) { return i.op == OpClass::atomic; };
  if (!std::any_of(cta.instructions.begin(), cta.instructions.end(), is_atomic)) return;
  watch_atomics_ = false;
  host_.boundary_if()->atomics_found(kernel().application, host_.queue_now());
}

int KernelQueue::room(const SmPlace& place) {
  std::vector<bool>& full = full_[static_cast<std::size_t>(place.cluster)];
  const auto sm = static_cast<std::size_t>(place.sm);
  if (full[sm]) return 0;
  const int room = host_.cluster_at(place.cluster).room(application_.first_sm + place.sm, kernel());
  if (room == 0) full[sm] = true;
  return room;
}

void KernelQueue::begin_flush(Cycle now) {
  enter(KernelPhase::flushing, now);
  if (!params_.flush_l1) return;
  flushes_left_ = params_.clusters;
  for (int c = 0; c < params_.clusters; ++c) host_.cluster_at(c).flush(index_);
}

void KernelQueue::begin_boundary(Cycle now) {
  enter(KernelPhase::boundary, now);
  boundary_done_ = never;
  if (KernelBoundaryIf* const boundary = host_.boundary_if())
    boundary->kernel_ended(kernel().application, *this, now);
  else
    boundary_done_ = now;
}

void KernelQueue::end_kernel(Cycle now) {
  ++stats_.kernels_done;
  --stats_.kernels_running;
  kernel_spans_.back().ended = now;
  ++kernels_done_;
  host_.kernel_ended(index_, kernel_, now);
  ++kernel_;
  started_ = false;
  enter(KernelPhase::launching, now);
  begin_kernel(now);
  if (phase_ == KernelPhase::launching && !host_.failed()) book(std::max(first_launch_, now + 1));
}

void KernelQueue::cta_done(int cluster, int sm, Cycle now) {
  full_[static_cast<std::size_t>(cluster)][static_cast<std::size_t>(sm - application_.first_sm)] = false;
  --running_;
  ++ctas_done_;
  ++stats_.ctas_done;
  --stats_.ctas_running;
  if (left_to_launch_ != 0 || running_ == 0) book(now + 1);
}

void KernelQueue::drained(Cycle now) {
  if (phase_ == KernelPhase::draining) book(now + 1);
}

void KernelQueue::flush_done(Cycle now) {
  if (--flushes_left_ == 0) book(now + 1);
}

void KernelQueue::kernel_boundary_done(Cycle at) {
  boundary_done_ = at;
  book(at);
}

DispatchProgress KernelQueue::progress() const {
  DispatchProgress progress;
  progress.kernels = application_.source->kernels().size();
  progress.kernels_done = kernel_;
  progress.ctas_launched = ctas_launched_;
  progress.ctas_done = ctas_done_;
  progress.passes = passes_;
  if (started_) progress.kernel = &kernel();
  return progress;
}

void KernelQueue::settle(Cycle now) {
  enter(phase_, now);
  if (full_since_ != never) {
    stats_.full_cycles += now - full_since_;
    full_since_ = now;
  }
}

Faults KernelQueue::check_idle(const std::string& where) const {
  Faults faults;
  if (!finished()) faults.push_back({{where, 0, 0}, "kernel " + std::to_string(kernel_) + " has not ended"});
  if (running_ != 0) faults.push_back({{where, 0, 0}, std::to_string(running_) + " CTAs have not ended"});
  return faults;
}

void KernelQueue::add_waits(std::vector<WaitNote>& notes) const {
  if (finished() || !started_) return;
  using Phase = KernelPhase;
  static constexpr Named<Phase> waits_for[] = {{Phase::launching, "kernel launch"},
                                               {Phase::running, "ends of CTAs"},
                                               {Phase::draining, "acknowledgements of stores"},
                                               {Phase::flushing, "flush of the L1s"},
                                               {Phase::boundary, "work at the boundary"},
                                               {Phase::finished, ""}};
  static_assert(names_all(waits_for, Phase::finished));
  const std::string present = "kernel " + std::to_string(kernel_) + " '" + kernel().name + "' waits for ";
  notes.push_back({present + std::string(row_of_value(waits_for, phase_).name), "",
                   static_cast<int>(running_),
                   static_cast<int>(std::min<std::uint64_t>(kernel().ctas(), 1U << 30)), nullptr});
}

}  // namespace strata
