#include "models/cta_dispatcher/kernel_queue.h"

#include <algorithm>

namespace strata {
namespace {

/// The seed of this module in this run; the same on every machine.
std::mt19937_64 generator_of(std::uint64_t seed, const std::string& name) {
  std::vector<std::uint32_t> words(name.begin(), name.end());
  words.push_back(static_cast<std::uint32_t>(seed));
  words.push_back(static_cast<std::uint32_t>(seed >> 32));
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

constexpr std::size_t most_waiting_named = 8;  // streams in waits()

}  // namespace

KernelQueue::KernelQueue(KernelQueueHost& host, int index, const CtaDispatcherParams& params,
                         const Application& application, std::uint64_t seed, const std::string& jitter_name)
    : host_(host),
      index_(index),
      params_(params),
      application_(application),
      stats_(host.queue_stats()),
      jitter_(generator_of(seed, jitter_name)) {
  view_.room = [this](const SmPlace& place) { return room(*placing_, place); };
}

void KernelQueue::elaborate() {
  for (int c = 0; c < params_.clusters; ++c) {
    if (application_.sms == 0) application_.sms = host_.cluster_at(c).sms();
    view_.sms.push_back(application_.sms);
  }
  several_streams_ = StreamOrder::several_streams(kernels());
  side_by_side_ = several_streams_ && params_.most_kernels() > 1;
}

std::string KernelQueue::name_of(std::size_t kernel) const {
  return "kernel " + std::to_string(kernel) + " '" + kernels()[kernel].name + "'";
}

// One call runs through as many phases as end in this cycle; each phase that waits is woken by an event.
void KernelQueue::advance(Cycle now) {
  if (host_.failed() || finished()) return;
  if (order_ == nullptr && !begin_source(now)) return;
  if (ending_ != nullptr) {  // nothing else of the application is on its SMs
    finish_ending(now);
    if (host_.failed() || finished()) return;
    if (params_.cold_launches() && ending_ == nullptr) {  // as in cycle 0, where the first kernel begins
      start_kernels(now);
      launch_ctas(now);
    }
  } else {
    start_kernels(now);
    launch_ctas(now);
    if (host_.failed()) return;
    end_kernels(now);
  }
  enter(present_phase(), now);
}

KernelPhase KernelQueue::present_phase() const {
  if (finished()) return phase_;
  if (ending_ != nullptr) return ending_->phase;
  if (count(KernelPhase::running) != 0) return KernelPhase::running;
  return count(KernelPhase::draining) != 0 ? KernelPhase::draining : KernelPhase::launching;
}

void KernelQueue::enter(KernelPhase phase, Cycle now) {
  stats_.phase_cycles[static_cast<std::size_t>(phase_)] += now - phase_since_;
  if (overlapping_) stats_.overlap_cycles += now - phase_since_;
  phase_ = phase;
  phase_since_ = now;
  const int kernels = on_sms();
  overlapping_ = kernels > 1;
  if (overlapping_)  // runs without keep their digests
    stats_.most_kernels = std::max(stats_.most_kernels, static_cast<std::uint64_t>(kernels));
}

int KernelQueue::count(KernelPhase phase) const {
  return static_cast<int>(std::count_if(running_.begin(), running_.end(),
                                        [phase](const auto& kernel) { return kernel->phase == phase; }));
}

/// Kernels that may have CTAs on SMs or accesses in flight.
int KernelQueue::on_sms() const {
  return count(KernelPhase::running) + count(KernelPhase::draining);
}

// ---- kernels begin ----

/// False when that was all.
bool KernelQueue::begin_source(Cycle now) {
  try {
    order_ = std::make_unique<StreamOrder>(kernels(), application_.source->description());
  } catch (const std::exception&) {
    host_.fail(std::current_exception());  // SystemC's kernel must not see it
    return false;
  }
  begin_kernels(now);
  return !host_.failed() && !finished();
}

// The program has ended, or kernels begin whose turn it is.
void KernelQueue::begin_kernels(Cycle now) {
  if (order_->all_ended()) {
    if (passes_++ == 0) {
      end_cycle_ = now;
      if (application_.ended) application_.ended(now);
    }
    if (!application_.repeat || kernels().empty()) return enter(KernelPhase::finished, now);
    order_->restart();
  }
  const auto most = static_cast<std::size_t>(params_.most_kernels());
  while (running_.size() < most && order_->any_ready() && !host_.failed())
    begin_kernel(order_->take_ready(), now);
}

/// Why the kernel's thread block clusters cannot be placed; empty when they can.
std::string KernelQueue::cluster_fault(const KernelInfo& info, const std::vector<int>& per_sm) const {
  const Dim3& cluster = info.cluster;
  if (cluster.count() == 1) return {};
  const auto text = [](const Dim3& d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
  };
  if (info.grid.x % cluster.x != 0 || info.grid.y % cluster.y != 0 || info.grid.z % cluster.z != 0)
    return "its clusters of " + text(cluster) + " thread blocks do not divide its grid " + text(info.grid);
  std::uint64_t most = 0;
  for (std::size_t c = 0; c < per_sm.size(); ++c)
    most = std::max(most, static_cast<std::uint64_t>(per_sm[c]) * static_cast<std::uint64_t>(view_.sms[c]));
  if (most >= cluster.count()) return {};
  return "its clusters have " + std::to_string(cluster.count()) +
         " thread blocks, which run together on the SMs of one cluster of SMs; the largest has room for " +
         std::to_string(most);
}

void KernelQueue::begin_kernel(std::size_t number, Cycle now) {
  const KernelInfo& info = kernels()[number];
  std::string limiter;
  std::vector<int> per_sm;  // of each cluster
  for (int c = 0; c < params_.clusters; ++c) per_sm.push_back(host_.cluster_at(c).occupancy(info, &limiter));
  if (std::all_of(per_sm.begin(), per_sm.end(), [](int some) { return some == 0; })) {
    return host_.fail(std::make_exception_ptr(TraceError(
        {{application_.source->description(), 0, 0}, name_of(number) + " fits no SM: it needs " + limiter})));
  }
  if (const std::string fault = cluster_fault(info, per_sm); !fault.empty())
    return host_.fail(std::make_exception_ptr(
        TraceError({{application_.source->description(), 0, 0}, name_of(number) + ": " + fault})));
  for (const MemcpyInfo& copy : application_.source->copies())
    if (params_.copies == CopyPolicy::warm && !params_.cold_launches() && copy.before_kernel == number)
      host_.copied(copy);
  auto kernel = std::make_unique<RunningKernel>();
  kernel->number = number;
  kernel->info = &info;
  kernel->span = kernel_spans_.size();
  kernel_spans_.push_back({number, now});
  kernel->first_launch = now + static_cast<Cycle>(params_.kernel_launch_latency);
  kernel->placement =
      info.cluster.count() > 1 ? make_cluster_placement(turn_, info) : make_placement(params_, turn_);
  kernel->placement->begin(info.ctas(), per_sm);
  for (const int sms : view_.sms) kernel->full.emplace_back(static_cast<std::size_t>(sms), false);
  kernel->left_to_launch = info.ctas();
  if (kernel->first_launch > now) book(kernel->first_launch);
  const auto place = std::find_if(running_.begin(), running_.end(), [&](const auto& other) {
    return other->info->priority < info.priority ||
           (other->info->priority == info.priority && other->number > number);
  });
  running_.insert(place, std::move(kernel));
  ++stats_.kernels_launched;
  ++stats_.kernels_running;
}

void KernelQueue::start_kernels(Cycle now) {
  for (const auto& kernel : running_) {
    if (kernel->phase != KernelPhase::launching || now < kernel->first_launch || !may_start()) continue;
    kernel->phase = KernelPhase::running;
    left_to_launch_ += kernel->left_to_launch;
    KernelBoundaryIf* const boundary = host_.boundary_if();
    if (group_open_ || boundary == nullptr) continue;
    group_open_ = true;
    boundary->kernel_began(kernel->info->application, now);
    watch_atomics_ = boundary->wants_atomics();
  }
}

// After a kernel of the present group has ended, a new one may begin only once the L1s are flushed. If the
// boundary has other work to do, a new group begins. A kernel that may not begin is woken by what it waits
// for.
bool KernelQueue::may_start() {
  if (flushes_left_ != 0) return false;
  if (!group_has_ended_) return true;
  KernelBoundaryIf* const boundary = host_.boundary_if();
  if (boundary != nullptr && boundary->separates_kernels(static_cast<std::uint32_t>(index_))) return false;
  if (!l1_stale_ || !params_.flush_l1) return true;
  flush_l1s();
  return false;
}

// ---- their CTAs ----

void KernelQueue::launch_ctas(Cycle now) {
  if (full_since_ != never) {
    stats_.full_cycles += now - full_since_;
    full_since_ = never;
  }
  if (left_to_launch_ == 0) return;
  if (now < next_launch_) return book(next_launch_);
  for (int n = 0; n < params_.ctas_per_cycle && left_to_launch_ != 0; ++n) {
    if (!launch_next()) {
      full_since_ = now;  // the next end of a CTA wakes us
      return;
    }
    if (host_.failed() || pause_after_launch(now)) return;
  }
  if (left_to_launch_ != 0) book(now + 1);
}

// False when no CTA can be placed now.
bool KernelQueue::launch_next() {
  for (const auto& kernel : running_) {
    if (kernel->phase != KernelPhase::running || kernel->left_to_launch == 0) continue;
    std::uint64_t cta = 0;
    SmPlace place;
    placing_ = kernel.get();
    if (kernel->placement->next(view_, cta, place)) {
      launch(*kernel, cta, place);
      while (!host_.failed() && kernel->placement->must_follow() != 0 &&
             kernel->placement->next(view_, cta, place))
        launch(*kernel, cta, place);
      return true;
    }
    if (params_.next_kernel == NextKernel::launched) return false;
  }
  return false;
}

void KernelQueue::launch(RunningKernel& kernel, std::uint64_t cta, const SmPlace& place) {
  const KernelInfo& info = *kernel.info;
  std::shared_ptr<const CtaTrace> trace;
  try {
    trace = application_.source->fetch(info.id, cta);
    if (trace->warps() > info.warps_per_cta())
      throw TraceError({{application_.source->description(), 0, 0},
                        "kernel " + std::to_string(kernel.number) + " CTA " + std::to_string(cta) + " has " +
                            std::to_string(trace->warps()) + " warps; its block size allows " +
                            std::to_string(info.warps_per_cta())});
  } catch (const std::exception&) {
    return host_.fail(std::current_exception());  // SystemC's kernel must not see it
  }
  if (watch_atomics_) look_for_atomics(kernel, *trace);
  if (several_streams_) {
    KernelSpan& span = kernel_spans_[kernel.span];
    ++span.ctas;
    for (const WarpInstruction& instruction : trace->instructions)
      span.warp_instructions += instruction.weight;
  }
  host_.cluster_at(place.cluster).launch(application_.first_sm + place.sm, info, std::move(trace));
  --left_to_launch_;
  --kernel.left_to_launch;
  ++kernel.running;
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
  Cycle last = left_to_launch_ != 0 ? next_launch_ : 0;
  for (const auto& kernel : running_)
    if (kernel->phase == KernelPhase::launching) last = std::max(last, kernel->first_launch);
  if (ending_ != nullptr && boundary_done_ != never) last = std::max(last, boundary_done_);
  return last;
}

void KernelQueue::look_for_atomics(const RunningKernel& kernel, const CtaTrace& cta) {
  const auto is_atomic = [](const WarpInstruction& i) { return i.op == OpClass::atomic; };
  if (!std::any_of(cta.instructions.begin(), cta.instructions.end(), is_atomic)) return;
  watch_atomics_ = false;
  host_.boundary_if()->atomics_found(kernel.info->application, host_.queue_now());
}

int KernelQueue::room(RunningKernel& kernel, const SmPlace& place) {
  std::vector<bool>& full = kernel.full[static_cast<std::size_t>(place.cluster)];
  const auto sm = static_cast<std::size_t>(place.sm);
  if (full[sm]) return 0;
  const int room = host_.cluster_at(place.cluster).room(application_.first_sm + place.sm, *kernel.info);
  if (room == 0) full[sm] = true;
  return room;
}

// ---- kernels end ----

void KernelQueue::end_kernels(Cycle now) {
  for (const auto& kernel : running_)
    if (kernel->phase == KernelPhase::running && kernel->left_to_launch == 0 && kernel->running == 0)
      kernel->phase = KernelPhase::draining;
  for (std::size_t i = 0; i < running_.size();) {
    RunningKernel& kernel = *running_[i];
    if (kernel.phase != KernelPhase::draining || !is_drained(kernel)) {
      ++i;
      continue;
    }
    if (on_sms() == 1) {  // the last of its group
      if (flushes_left_ == 0) begin_ending(kernel, now);
      return;
    }
    group_has_ended_ = l1_stale_ = true;
    end_kernel(kernel, false, now);
    i = 0;
  }
}

bool KernelQueue::is_drained(const RunningKernel& kernel) const {
  const bool alone = on_sms() == 1;
  for (int c = 0; c < params_.clusters; ++c) {
    const CtaLaunchIf& cluster = host_.cluster_at(c);
    if (!(alone ? cluster.is_drained(index_) : cluster.kernel_drained(index_, kernel.info->id))) return false;
  }
  return true;
}

void KernelQueue::begin_ending(RunningKernel& kernel, Cycle now) {
  ending_ = &kernel;
  kernel.phase = KernelPhase::flushing;
  if (params_.flush_l1 || params_.cold_launches()) flush_l1s();
  finish_ending(now);
}

void KernelQueue::flush_l1s() {
  l1_stale_ = false;
  flushes_left_ = params_.clusters;
  for (int c = 0; c < params_.clusters; ++c) host_.cluster_at(c).flush(index_);
}

void KernelQueue::finish_ending(Cycle now) {
  RunningKernel& kernel = *ending_;
  if (kernel.phase == KernelPhase::flushing) {
    if (flushes_left_ != 0) return;
    kernel.phase = KernelPhase::boundary;
    boundary_done_ = never;
    if (KernelBoundaryIf* const boundary = host_.boundary_if())
      boundary->kernel_ended(kernel.info->application, *this, now);
    else
      boundary_done_ = now;
  }
  if (boundary_done_ == never) return;
  if (now < boundary_done_) return book(boundary_done_);
  if (params_.cold_launches() && !is_last()) {  // between the end of this kernel and the next one's beginning
    Cycle& ended = kernel_spans_[kernel.span].ended;
    if (ended == never) ended = now;
    if (const Cycle cold = host_.cold_at(now); cold > now) return book(cold);
    turn_ = {};
  }
  ending_ = nullptr;
  group_open_ = group_has_ended_ = l1_stale_ = false;
  end_kernel(kernel, true, now);
}

bool KernelQueue::is_last() const {
  return !application_.repeat && order_->ended_count() + 1 == kernels().size();
}

void KernelQueue::end_kernel(const RunningKernel& kernel, bool alone, Cycle now) {
  const std::size_t number = kernel.number;
  if (Cycle& ended = kernel_spans_[kernel.span].ended; ended == never) ended = now;
  running_.erase(
      std::find_if(running_.begin(), running_.end(), [&](const auto& one) { return one.get() == &kernel; }));
  ++stats_.kernels_done;
  --stats_.kernels_running;
  ++kernels_done_;
  host_.kernel_ended(index_, number, alone, now);
  order_->ended(number);
  begin_kernels(now);
  if (host_.failed()) return;
  for (const auto& next : running_)
    if (next->phase == KernelPhase::launching) book(std::max(next->first_launch, now + 1));
}

// ---- what the clusters say ----

void KernelQueue::cta_done(int cluster, int sm, std::uint32_t id, Cycle now) {
  bool last = false;
  for (const auto& kernel : running_) {
    kernel->full[static_cast<std::size_t>(cluster)][static_cast<std::size_t>(sm - application_.first_sm)] =
        false;
    if (kernel->info->id != id) continue;
    --kernel->running;
    last = kernel->running == 0;
  }
  ++ctas_done_;
  ++stats_.ctas_done;
  --stats_.ctas_running;
  if (left_to_launch_ != 0 || last) book(now + 1);
}

void KernelQueue::drained(Cycle now) {
  if (count(KernelPhase::draining) != 0) book(now + 1);
}

void KernelQueue::flush_done(Cycle now) {
  if (--flushes_left_ == 0) book(now + 1);
}

void KernelQueue::kernel_boundary_done(Cycle at) {
  boundary_done_ = at;
  book(at);
}

// ---- reports ----

DispatchProgress KernelQueue::progress() const {
  DispatchProgress progress;
  progress.kernels = kernels().size();
  progress.kernels_done = order_ == nullptr ? 0 : order_->ended_count();
  progress.ctas_launched = ctas_launched_;
  progress.ctas_done = ctas_done_;
  progress.passes = passes_;
  for (const auto& kernel : running_) progress.running.push_back(kernel->info);
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
  std::uint64_t ctas = 0;
  for (const auto& kernel : running_) {
    faults.push_back({{where, 0, 0}, "kernel " + std::to_string(kernel->number) + " has not ended"});
    ctas += kernel->running;
  }
  if (running_.empty() && !finished())
    faults.push_back({{where, 0, 0}, "no kernel runs, but not all have ended"});
  if (ctas != 0) faults.push_back({{where, 0, 0}, std::to_string(ctas) + " CTAs have not ended"});
  return faults;
}

void KernelQueue::add_waits(std::vector<WaitNote>& notes) const {
  using Phase = KernelPhase;
  static constexpr Named<Phase> waits_for[] = {{Phase::launching, "kernel launch"},
                                               {Phase::running, "ends of CTAs"},
                                               {Phase::draining, "acknowledgements of stores"},
                                               {Phase::flushing, "flush of the L1s"},
                                               {Phase::boundary, "work at the boundary"},
                                               {Phase::finished, ""}};
  static_assert(names_all(waits_for, Phase::finished));
  for (const auto& kernel : running_) {
    const bool held = kernel->phase == Phase::launching && kernel->first_launch < host_.queue_now();
    const std::string what = held ? "the kernels beside it, which end before it begins"
                                  : std::string(row_of_value(waits_for, kernel->phase).name);
    notes.push_back({name_of(kernel->number) + " waits for " + what, "", static_cast<int>(kernel->running),
                     static_cast<int>(std::min<std::uint64_t>(kernel->info->ctas(), 1U << 30)), nullptr});
  }
  if (order_ == nullptr || !several_streams_) return;
  for (const StreamOrder::Waiting& waiting : order_->waiting(most_waiting_named))
    notes.push_back({name_of(waiting.kernel) + " waits for the end of " + name_of(waiting.for_kernel), "", 0,
                     0, nullptr});
}

}  // namespace strata
