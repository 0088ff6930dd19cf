#include "models/llc_control/llc_control.h"

#include <algorithm>

namespace strata {

LlcControl::LlcControl(sc_core::sc_module_name module_name, const LlcControlParams& params,
                       const BuildContext& context)
    : Block(module_name, context.clock),
      registers(*this, "registers", {stats_.register_reads, stats_.register_writes, stats_.register_errors}),
      params_(params),
      organization_(make_organization(params, context.map)),
      epoch_cycles_(static_cast<std::uint64_t>(params.epoch_cycles())) {
  const int slices = context.map.channels() * context.map.slices_per_channel();
  if (params.slices != slices)
    throw ConfigError(
        Faults{param_fault("slices", "is " + std::to_string(params.slices) + " but the address map has " +
                                         std::to_string(slices))});
  for (int i = 0; i < params.routers; ++i)
    organization_ports_.emplace_back(*this, "organization", i, static_cast<OrganizationPortIf&>(*this));
  for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
  for (int i = 0; i < params.gates; ++i) gate_ports_.emplace_back(*this, "gate", i);
  if (params.sharing_window != 0) {
    const auto window = static_cast<std::uint64_t>(params.sharing_window);
    clusters_ = std::make_unique<SharingWindows>(SharingWindowsParams{window, params.clusters});
  }
  define_registers();
  SC_HAS_PROCESS(LlcControl);
  SC_METHOD(on_timer);
  sensitive << timer_;
  dont_initialize();
}

void LlcControl::start_of_simulation() {
  Faults faults = wiring_faults();
  for (Fault& fault : faults) fault.message = std::string(name()) + ": " + fault.message;
  if (!faults.empty()) throw ConfigError(std::move(faults));
  wanted_ = target_ = organization_->mode();
  if (params_.changes_mode() || params_.replicates()) organization_->attach(machine());
  stats_.predictor_bits = organization_->predictor_bits();
  if (clusters_ != nullptr && sms_ != nullptr)
    sms_reading_ =
        std::make_unique<SharingWindows>(SharingWindowsParams{clusters_->params().window, sms_->sm_count()});
  for (ControlOut<SliceControlIf>& slice : slice_ports_) {
    if (!slice.bound()) continue;
    if (organization_->writes_through()) slice->set_write_through(true);
    if (params_.replicates()) slice->expect_replicas(slice.index());
  }
  update_watching();
}

int LlcControl::slice_for(const Access& access) {
  ++stats_.decisions;
  if (!watching_) return organization_->slice_of(access);
  if (clusters_ != nullptr) watch_sharing(access);
  return organization_->watches() ? organization_->learn(access, clock().now())
                                  : organization_->slice_of(access);
}

void LlcControl::update_watching() {
  watching_ = organization_->watches() || clusters_ != nullptr;
}

SliceTotals LlcControl::totals() {
  SliceTotals totals;
  for (ControlOut<SliceControlIf>& slice : slice_ports_) {
    totals.accesses.push_back(slice.bound() ? slice->accesses() : 0);
    totals.misses.push_back(slice.bound() ? slice->misses() : 0);
    totals.fetches += slice.bound() ? slice->fetches() : 0;
  }
  if (sms_ != nullptr) totals.instructions = sms_->instructions();
  return totals;
}

// The timer fires a moment before its cycle, so that the cycle is reached whichever process runs first.
void LlcControl::set_timer() {
  timer_.cancel();
  look_at_ = organization_->next_look();
  if (look_at_ == never) return;
  look_at_ = std::max(look_at_, clock().now() + 1);
  const std::uint64_t before = clock().edge(look_at_) - 1;
  timer_.notify(sc_core::sc_time::from_value(before - sc_core::sc_time_stamp().value()));
}

void LlcControl::on_timer() {
  book(look_at_);
}

void LlcControl::advance(Cycle now, int) {
  if (phase_ == Phase::gating && now >= gated_at_) end_change(now);
  if (phase_ == Phase::still && now >= look_at_) look(now);
}

void LlcControl::look(Cycle now) {
  count_time(now);
  wanted_ = organization_->look(now, totals());
  update_watching();
  set_timer();
  follow_wish(now);
}

void LlcControl::follow_wish(Cycle now) {
  const LlcMode mode = pinned_ ? LlcMode::shared : forced_ ? forced_mode_ : wanted_;
  if (phase_ == Phase::still && mode != organization_->mode()) begin_change(mode, now);
}

void LlcControl::enter(Phase phase, Cycle now) {
  const Cycle spent = now - phase_since_;
  if (changes_ && phase_ != Phase::still) {
    stats_.transition_cycles += spent;
    (phase_ == Phase::draining   ? stats_.drain_cycles
     : phase_ == Phase::cleaning ? stats_.clean_cycles
                                 : stats_.gate_cycles) += spent;
  }
  phase_ = phase;
  phase_since_ = now;
}

void LlcControl::begin_change(LlcMode mode, Cycle now) {
  target_ = mode;
  changes_ = true;
  ++(mode == LlcMode::private_ ? stats_.to_private : stats_.to_shared);
  enter(Phase::draining, now);
  stalled_ = true;
  sms_->stall_sms();
}

void LlcControl::sms_quiet(Cycle now) {
  enter(Phase::cleaning, now);
  if (target_ == LlcMode::private_)
    return tell_slices([&](SliceControlIf& slice, int i) { slice.begin_write_back(*this, i); });
  ++stats_.flushes;
  tell_slices([&](SliceControlIf& slice, int i) { slice.begin_flush(*this, i); });
}

template <class Order>
void LlcControl::tell_slices(Order order) {
  slices_busy_ = static_cast<int>(std::count_if(slice_ports_.begin(), slice_ports_.end(),
                                                [](const auto& slice) { return slice.bound(); }));
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    if (slice.bound()) order(slice.get(), slice.index());
}

void LlcControl::slice_flushed(int, Cycle ledger_cycle) {
  ++stats_.slice_flushes;
  if (--slices_busy_ != 0) return;
  const Cycle now = clock().now();
  if (changes_) return begin_gating(now);
  enter(Phase::still, now);
  stats_.flush_cycles += ledger_cycle - flush_began_;
  end_boundary(ledger_cycle);
}

void LlcControl::begin_gating(Cycle now) {
  enter(Phase::gating, now);
  gated_at_ = now + (gate_ports_.empty() ? 1 : static_cast<Cycle>(params_.gating));
  book(gated_at_);
}

void LlcControl::end_change(Cycle now) {
  for (ControlOut<RouterControlIf>& gate : gate_ports_)
    if (!gate->is_drained()) return book(now + 1);  // credits of the last packets are on their way
  count_time(now);
  for (ControlOut<RouterControlIf>& gate : gate_ports_) gate->set_bypass(target_ == LlcMode::private_);
  enter(Phase::still, now);
  changes_ = false;
  organization_->changed(target_, now, totals());
  wanted_ = target_;
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    slice->set_write_through(organization_->writes_through());
  update_watching();
  set_timer();
  if (stalled_) sms_->resume_sms();
  const bool between_kernels = !stalled_;
  stalled_ = false;
  if (between_kernels) return end_boundary(clock().ledger_at(now));
  if (boundary_waits_) return begin_boundary(now);
  follow_wish(now);
}

void LlcControl::kernel_began(std::uint32_t, Cycle now) {
  pinned_ = false;
  organization_->kernel_began(now, totals());
  wanted_ = organization_->mode();
  update_watching();
  set_timer();
  follow_wish(now);
}

void LlcControl::atomics_found(std::uint32_t, Cycle now) {
  pinned_ = true;
  wanted_ = organization_->atomics_found(now);
  update_watching();
  set_timer();
  follow_wish(now);
}

void LlcControl::kernel_ended(KernelBoundaryDoneIf& done, Cycle now) {
  ++stats_.kernel_boundaries;
  boundary_done_ = &done;
  boundary_waits_ = phase_ != Phase::still;
  if (!boundary_waits_) begin_boundary(now);
}

void LlcControl::begin_boundary(Cycle now) {
  boundary_waits_ = false;
  const KernelEndFlush what = organization_->at_kernel_end();
  organization_->kernel_ended(now);
  pinned_ = false;
  update_watching();
  set_timer();
  const bool bound =
      std::any_of(slice_ports_.begin(), slice_ports_.end(), [](const auto& slice) { return slice.bound(); });
  if (what == KernelEndFlush::nothing || !bound) return end_boundary(now);
  ++stats_.flushes;
  flush_began_ = now;
  target_ = organization_->mode();
  // Rule 3: the next kernel starts shared. Nothing is in flight: SMs need not stall.
  changes_ = params_.changes_mode() && !(forced_ && forced_mode_ == LlcMode::private_);
  if (changes_) {
    target_ = LlcMode::shared;
    ++stats_.to_shared;
    ++stats_.to_shared_at_boundary;
  }
  enter(Phase::cleaning, now);
  if (what == KernelEndFlush::replicas)
    tell_slices([&](SliceControlIf& slice, int i) { slice.begin_replica_flush(*this, i); });
  else
    tell_slices([&](SliceControlIf& slice, int i) { slice.begin_flush(*this, i); });
}

void LlcControl::end_boundary(Cycle at) {
  KernelBoundaryDoneIf& done = *boundary_done_;
  boundary_done_ = nullptr;
  done.kernel_boundary_done(at);
}

bool LlcControl::force_mode(bool on, LlcMode mode) {
  if (!params_.changes_mode()) return false;
  forced_ = on;
  forced_mode_ = mode;
  follow_wish(clock().now());
  return true;
}

void LlcControl::count_time(Cycle now) {
  if (now <= counted_until_) return;
  const Cycle spent = now - counted_until_;
  stats_.cycles += spent;
  if (organization_->mode() == LlcMode::private_) stats_.private_cycles += spent;
  stats_.degree_cycles += spent * static_cast<Cycle>(organization_->degree());
  counted_until_ = now;
}

void LlcControl::settle(Cycle now) {
  count_time(now);
  enter(phase_, std::max(now, phase_since_));
  stats_.policy = organization_->stats();
  if (clusters_ == nullptr) return;
  stats_.lines = clusters_->lines();
  stats_.lines_2_clusters = clusters_->lines(2, 2);
  stats_.lines_3_4_clusters = clusters_->lines(3, 4);
  stats_.lines_5_8_clusters = clusters_->lines(5, 8);
  stats_.lines_9_clusters = clusters_->lines(9, params_.clusters);
  if (sms_reading_ == nullptr) return;
  stats_.read_only_lines = sms_reading_->lines();
  stats_.read_only_lines_2_sms = sms_reading_->lines(2, sms_reading_->params().sharers);
  stats_.read_only_lines_10_sms = sms_reading_->lines(10, sms_reading_->params().sharers);
}

// A profile that is open counts again, since its decision will.
void LlcControl::reset_stats() {
  settle(clock().now());
  LlcPolicyStats& policy = organization_->stats();
  const std::uint64_t open =
      policy.profiles - policy.rule1_choices - policy.rule2_choices - policy.shared_choices;
  policy = {};
  policy.profiles = open;
  stats_ = {};
  stats_.predictor_bits = organization_->predictor_bits();
}

void LlcControl::watch_sharing(const Access& access) {
  const Cycle now = clock().now();
  clusters_->observe(access.line, access.cluster, now);
  if (access.access_class == AccessClass::read_only_load && sms_reading_ != nullptr)
    sms_reading_->observe(access.line, access.sm, now);
}

Faults LlcControl::check_idle() const {
  Faults faults;
  if (slices_busy_ != 0)
    faults.push_back({{name(), 0, 0}, std::to_string(slices_busy_) + " slices are still being flushed"});
  if (phase_ != Phase::still)
    faults.push_back({{name(), 0, 0}, "a change of the organization is not finished"});
  return faults;
}

std::vector<WaitNote> LlcControl::waits() const {
  if (phase_ == Phase::draining)
    return {{"change of the organization: accesses of the stalled SMs", "", 1, 1, nullptr}};
  if (slices_busy_ == 0) return {};
  return {{changes_ ? "change of the organization: flush or write-back" : "flush at the kernel boundary", "",
           slices_busy_, params_.slices, nullptr}};
}

}  // namespace strata
