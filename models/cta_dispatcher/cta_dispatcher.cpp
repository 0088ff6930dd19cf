#include "models/cta_dispatcher/cta_dispatcher.h"

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

CtaDispatcher::CtaDispatcher(sc_core::sc_module_name module_name, const CtaDispatcherParams& params,
                             const BuildContext& context)
    : Block(module_name, context.clock),
      boundary(*this, "boundary", 0),
      params_(params),
      placement_(make_placement(params)),
      jitter_(generator_of(context.seed, name())) {
  for (int c = 0; c < params.clusters; ++c)
    clusters_.push_back(std::make_unique<ControlOut<CtaLaunchIf>>(*this, "cluster", c));
  view_.room = [this](const SmPlace& place) { return room(place); };
}

CtaDispatcher::~CtaDispatcher() = default;

void CtaDispatcher::end_of_elaboration() {
  for (int c = 0; c < params_.clusters; ++c) {
    CtaLaunchIf& cluster_if = cluster(c).get();
    cluster_if.connect(*this, c);
    view_.sms.push_back(cluster_if.sms());
    full_.emplace_back(static_cast<std::size_t>(cluster_if.sms()), false);
  }
  if (boundary.bound()) boundary->connect(*this);
}

void CtaDispatcher::start_of_simulation() {
  if (source_ != nullptr) book(0);
}

// One call runs through as many phases as end in this cycle; each phase that waits returns and is woken by an
// event.
void CtaDispatcher::advance(Cycle now, int) {
  if (failure_ != nullptr) return;
  if (phase_ == KernelPhase::launching) {
    if (!started_) begin_kernel(now);
    if (phase_ != KernelPhase::launching || failure_ != nullptr) return;
    if (now < first_launch_) return book(first_launch_);
    enter(KernelPhase::running, now);
    if (boundary.bound()) {
      boundary->kernel_began(kernel().application, now);
      watch_atomics_ = boundary->wants_atomics();
    }
  }
  if (phase_ == KernelPhase::running) {
    launch_ctas(now);
    if (left_to_launch_ != 0 || running_ != 0 || failure_ != nullptr) return;
    enter(KernelPhase::draining, now);
  }
  if (phase_ == KernelPhase::draining) {
    const auto drained = [](auto& cluster_port) { return cluster_port->get().is_drained(); };
    if (!std::all_of(clusters_.begin(), clusters_.end(), drained)) return;
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

void CtaDispatcher::enter(KernelPhase phase, Cycle now) {
  stats_.phase_cycles[static_cast<std::size_t>(phase_)] += now - phase_since_;
  phase_ = phase;
  phase_since_ = now;
}

void CtaDispatcher::begin_kernel(Cycle now) {
  if (kernel_ == source_->kernels().size()) {
    end_cycle_ = now;
    return enter(KernelPhase::finished, now);
  }
  std::string limiter;
  int per_sm = 0;
  for (const auto& port : clusters_) per_sm = std::max(per_sm, port->get().occupancy(kernel(), &limiter));
  if (per_sm == 0) {
    return fail(std::make_exception_ptr(TraceError(
        {{source_->description(), 0, 0},
         "kernel " + std::to_string(kernel_) + " '" + kernel().name + "' fits no SM: it needs " + limiter})));
  }
  started_ = true;
  kernel_spans_.push_back({kernel_, now, never});
  first_launch_ = now + static_cast<Cycle>(params_.kernel_launch_latency);
  left_to_launch_ = kernel().ctas();
  placement_->begin(left_to_launch_, per_sm);
  for (auto& sms : full_) std::fill(sms.begin(), sms.end(), false);
  ++stats_.kernels_launched;
  ++stats_.kernels_running;
}

void CtaDispatcher::launch_ctas(Cycle now) {
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
    if (failure_ != nullptr || pause_after_launch(now)) return;
  }
  if (left_to_launch_ != 0) book(now + 1);
}

void CtaDispatcher::launch(std::uint64_t cta, const SmPlace& place) {
  std::shared_ptr<const traces::CtaTrace> trace;
  try {
    trace = source_->fetch(kernel().id, cta);
    if (trace->warps() > kernel().warps_per_cta())
      throw TraceError({{source_->description(), 0, 0},
                        "kernel " + std::to_string(kernel_) + " CTA " + std::to_string(cta) + " has " +
                            std::to_string(trace->warps()) + " warps; its block size allows " +
                            std::to_string(kernel().warps_per_cta())});
  } catch (const std::exception&) {
    return fail(std::current_exception());  // SystemC's kernel must not see it
  }
  if (watch_atomics_) look_for_atomics(*trace);
  cluster(place.cluster).get().launch(place.sm, kernel(), std::move(trace));
  --left_to_launch_;
  ++running_;
  ++ctas_launched_;
  ++stats_.ctas_launched;
  ++stats_.ctas_running;
}

/// Draws the pause behind a CTA that was launched in `now`; true when there is one.
bool CtaDispatcher::pause_after_launch(Cycle now) {
  if (params_.launch_jitter == 0) return false;
  // The remainder favours small values by less than 2^-43; a distribution of the library differs between
  // libraries, and results must not.
  const Cycle pause = jitter_() % (static_cast<Cycle>(params_.launch_jitter) + 1);
  if (pause == 0) return false;
  next_launch_ = now + 1 + pause;
  if (left_to_launch_ != 0) book(next_launch_);
  return true;
}

void CtaDispatcher::look_for_atomics(const traces::CtaTrace& cta) {
  const auto is_atomic = [](const traces::WarpInstruction& i) { return i.op == traces::OpClass::atomic; };
  if (!std::any_of(cta.instructions.begin(), cta.instructions.end(), is_atomic)) return;
  watch_atomics_ = false;
  boundary->atomics_found(kernel().application, clock().now());
}

int CtaDispatcher::room(const SmPlace& place) {
  std::vector<bool>& full = full_[static_cast<std::size_t>(place.cluster)];
  const auto sm = static_cast<std::size_t>(place.sm);
  if (full[sm]) return 0;
  const int room = cluster(place.cluster).get().room(place.sm, kernel());
  if (room == 0) full[sm] = true;
  return room;
}

void CtaDispatcher::begin_flush(Cycle now) {
  enter(KernelPhase::flushing, now);
  if (!params_.flush_l1) return;
  flushes_left_ = params_.clusters;
  for (auto& port : clusters_) port->get().flush();
}

void CtaDispatcher::begin_boundary(Cycle now) {
  enter(KernelPhase::boundary, now);
  boundary_done_ = never;
  if (!boundary.bound())
    boundary_done_ = now;
  else
    boundary.get().kernel_ended(*this, now);
}

void CtaDispatcher::end_kernel(Cycle now) {
  ++stats_.kernels_done;
  --stats_.kernels_running;
  kernel_spans_.back().ended = now;
  ++kernel_;
  started_ = false;
  enter(KernelPhase::launching, now);
  begin_kernel(now);
  if (phase_ == KernelPhase::launching && failure_ == nullptr) book(std::max(first_launch_, now + 1));
}

void CtaDispatcher::cta_done(int cluster, int sm, std::uint32_t, Cycle now) {
  full_[static_cast<std::size_t>(cluster)][static_cast<std::size_t>(sm)] = false;
  --running_;
  ++ctas_done_;
  ++stats_.ctas_done;
  --stats_.ctas_running;
  if (left_to_launch_ != 0 || running_ == 0) book(now + 1);
}

void CtaDispatcher::drained(int, Cycle now) {
  if (phase_ == KernelPhase::draining) book(now + 1);
}

void CtaDispatcher::flush_done(int, Cycle now) {
  if (--flushes_left_ == 0) book(now + 1);
}

bool CtaDispatcher::can_stall() const {
  return std::all_of(clusters_.begin(), clusters_.end(), [](auto& port) { return port->get().can_stall(); });
}

int CtaDispatcher::sm_count() const {
  int count = 0;
  for (const int sms : view_.sms) count += sms;
  return count;
}

std::uint64_t CtaDispatcher::instructions() const {
  std::uint64_t count = 0;
  for (const auto& port : clusters_) count += port->get().instructions();
  return count;
}

void CtaDispatcher::stall_sms() {
  noisy_clusters_ = params_.clusters;
  for (auto& port : clusters_) port->get().stall();
}

void CtaDispatcher::resume_sms() {
  for (auto& port : clusters_) port->get().resume();
}

void CtaDispatcher::quiet(int, Cycle now) {
  if (--noisy_clusters_ == 0) boundary->sms_quiet(now);
}

void CtaDispatcher::kernel_boundary_done(Cycle at) {
  boundary_done_ = at;
  book(at);
}

void CtaDispatcher::fail(std::exception_ptr reason) {
  failure_ = std::move(reason);
  sc_core::sc_stop();
}

DispatchProgress CtaDispatcher::progress() const {
  DispatchProgress progress;
  if (source_ == nullptr) return progress;
  progress.kernels = source_->kernels().size();
  progress.kernels_done = kernel_;
  progress.ctas_launched = ctas_launched_;
  progress.ctas_done = ctas_done_;
  if (started_) progress.kernel = &kernel();
  return progress;
}

void CtaDispatcher::settle(Cycle now) {
  enter(phase_, now);
  if (full_since_ != never) {
    stats_.full_cycles += now - full_since_;
    full_since_ = now;
  }
}

// What is running counts as launched again.
void CtaDispatcher::reset_stats() {
  settle(clock().now());
  const CtaDispatcherStats before = stats_;
  stats_ = {};
  stats_.kernels_launched = stats_.kernels_running = before.kernels_running;
  stats_.ctas_launched = stats_.ctas_running = before.ctas_running;
}

Faults CtaDispatcher::check_idle() const {
  Faults faults;
  if (source_ != nullptr && !finished())
    faults.push_back({{name(), 0, 0}, "kernel " + std::to_string(kernel_) + " has not ended"});
  if (running_ != 0) faults.push_back({{name(), 0, 0}, std::to_string(running_) + " CTAs have not ended"});
  return faults;
}

std::vector<WaitNote> CtaDispatcher::waits() const {
  if (source_ == nullptr || finished() || !started_) return {};
  static constexpr const char* what[] = {
      "kernel launch",    "ends of CTAs",         "acknowledgements of stores",
      "flush of the L1s", "work at the boundary", ""};
  std::vector<WaitNote> notes;
  const std::string present = "kernel " + std::to_string(kernel_) + " '" + kernel().name + "' waits for ";
  notes.push_back({present + what[static_cast<int>(phase_)], "", static_cast<int>(running_),
                   static_cast<int>(std::min<std::uint64_t>(kernel().ctas(), 1U << 30)), nullptr});
  return notes;
}

const ModuleKind& cta_dispatcher_kind() {
  static const ModuleKind kind = {
      "cta_dispatcher",
      "Launches kernels CTA by CTA on the SM clusters, with store drain and L1 flush between kernels",
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<CtaDispatcherParams>(); },
      [](const ParamSet& params) -> std::vector<PortSpec> {
        const int clusters = static_cast<const CtaDispatcherParams&>(params).clusters;
        return {{"cluster", PortRole::control_out, clusters, false, "CtaLaunchIf", "SM cluster i"},
                {"boundary", PortRole::control_out, 1, true, "KernelBoundaryIf",
                 "Told of each kernel's end; the next kernel waits for its answer"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<CtaDispatcher>(name, static_cast<const CtaDispatcherParams&>(params),
                                               context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<CtaDispatcherStats>(); },
      nullptr,
      true};
  return kind;
}

}  // namespace strata
