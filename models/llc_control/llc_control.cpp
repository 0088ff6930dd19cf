#include "models/llc_control/llc_control.h"

#include <algorithm>

namespace strata {

LlcControl::LlcControl(sc_core::sc_module_name module_name, const LlcControlParams& params,
                       const BuildContext& context)
    : Block(module_name, context.clock),
      registers(*this, "registers", {stats_.register_reads, stats_.register_writes, stats_.register_errors}),
      params_(params),
      map_(context.map),
      tenants_(params, context.map, 1),
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
  if (sms_ != nullptr) tenants_ = LlcTenants(params_, map_, std::max(1, sms_->application_count()));
  Faults faults = wiring_faults();
  for (Fault& fault : faults) fault.message = std::string(name()) + ": " + fault.message;
  if (!faults.empty()) throw ConfigError(std::move(faults));
  target_ = tenants_.of(0).organization->mode();
  for (LlcTenant& tenant : tenants_) {
    const LlcControlParams own = params_.of_application(tenant.index, application_count());
    if (own.changes_mode() || own.replicates()) tenant.organization->attach(machine());
    stats_.predictor_bits += tenant.organization->predictor_bits();
    for (ControlOut<SliceControlIf>& slice : slice_ports_) {
      if (!slice.bound()) continue;
      if (tenant.organization->writes_through()) slice->set_write_through(tenant.applications, true);
      if (tenant.replicates) slice->expect_replicas(tenant.applications, slice.index());
    }
  }
  if (clusters_ != nullptr && sms_ != nullptr)
    sms_reading_ =
        std::make_unique<SharingWindows>(SharingWindowsParams{clusters_->params().window, sms_->sm_count()});
  update_watching();
}

int LlcControl::slice_for(const Access& access) {
  ++stats_.decisions;
  Organization& organization = tenants_.organization_of(access);
  if (!watching_) return organization.slice_of(access);
  if (clusters_ != nullptr) watch_sharing(access);
  return organization.watches() ? organization.learn(access, clock().now()) : organization.slice_of(access);
}

void LlcControl::update_watching() {
  watching_ = clusters_ != nullptr || tenants_.watch();
}

SliceTotals LlcControl::totals(const LlcTenant& tenant) {
  SliceTotals totals;
  for (ControlOut<SliceControlIf>& slice : slice_ports_) {
    const bool bound = slice.bound();
    totals.accesses.push_back(bound ? slice->accesses(tenant.applications) : 0);
    totals.misses.push_back(bound ? slice->misses(tenant.applications) : 0);
    totals.fetches += bound ? slice->fetches(tenant.applications) : 0;
  }
  if (sms_ != nullptr) totals.instructions = sms_->instructions(tenant.index);
  return totals;
}

// The timer fires a moment before its cycle, so that the cycle is reached whichever process runs first.
void LlcControl::set_timer() {
  timer_.cancel();
  look_at_ = never;
  for (const LlcTenant& tenant : tenants_) look_at_ = std::min(look_at_, tenant.organization->next_look());
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
  if (phase_ == Phase::idle && now >= look_at_) look(now);
}

void LlcControl::look(Cycle now) {
  count_time(now);
  for (LlcTenant& tenant : tenants_)
    if (tenant.organization->next_look() <= now)
      tenant.wanted = tenant.organization->look(now, totals(tenant));
  update_watching();
  set_timer();
  start_wanted_change(now);
}

LlcMode LlcControl::wanted_mode(const LlcTenant& tenant) const {
  if (!tenant.changes_mode) return tenant.organization->mode();
  return tenant.pinned ? LlcMode::shared : forced_ ? forced_mode_ : tenant.wanted;
}

void LlcControl::start_wanted_change(Cycle now) {
  for (LlcTenant& tenant : tenants_) {
    if (phase_ != Phase::idle) return;
    const LlcMode mode = wanted_mode(tenant);
    if (mode != tenant.organization->mode()) begin_change(tenant, mode, now);
  }
}

void LlcControl::enter(Phase phase, Cycle now) {
  const Cycle spent = now - phase_since_;
  if (changes_ && phase_ != Phase::idle) {
    stats_.transition_cycles += spent;
    (phase_ == Phase::draining   ? stats_.drain_cycles
     : phase_ == Phase::flushing ? stats_.clean_cycles
                                 : stats_.gate_cycles) += spent;
  }
  phase_ = phase;
  phase_since_ = now;
}

// Routers can be bypassed only while the LLC is private for every application (ISCA 2019, section 4.1): the
// last one to become private and the first one to leave stop the others' SMs too. Any other change stops the
// application's own SMs only.
void LlcControl::begin_change(LlcTenant& tenant, LlcMode mode, Cycle now) {
  active_ = &tenant;
  target_ = mode;
  changes_ = true;
  at_boundary_ = false;
  gates_change_ = !gate_ports_.empty() && tenants_.all_private(active_);
  ++(mode == LlcMode::private_ ? stats_.to_private : stats_.to_shared);
  enter(Phase::draining, now);
  stalled_ = gates_change_ ? every_application : tenant.applications;
  sms_->stall_sms(stalled_);
}

// SMs may have a clock of their own: what they said between two core cycles counts in the one that reacts.
void LlcControl::sms_quiesced(Cycle) {
  const Cycle now = clock().now();
  enter(Phase::flushing, now);
  if (target_ == LlcMode::private_) return order_flush(LlcFlush::none);
  if (!at_boundary_) ++stats_.flushes;
  order_flush(LlcFlush::all);
}

// Other applications' lines stay as they are.
void LlcControl::order_flush(LlcFlush what) {
  slices_busy_ = static_cast<int>(std::count_if(slice_ports_.begin(), slice_ports_.end(),
                                                [](const auto& slice) { return slice.bound(); }));
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    if (slice.bound()) slice->begin_flush(what, active_->applications, *this, slice.index());
}

void LlcControl::slice_flushed(int, Cycle ledger_cycle) {
  ++stats_.slice_flushes;
  if (--slices_busy_ != 0) return;
  const Cycle now = clock().now();
  if (changes_) return begin_gating(now);
  enter(Phase::idle, now);
  stats_.flush_cycles += ledger_cycle - flush_began_;
  end_boundary(*active_, ledger_cycle);
  set_timer();
  start_waiting_work(now);
}

// What came up while other work was under way.
void LlcControl::start_waiting_work(Cycle now) {
  for (LlcTenant& tenant : tenants_) {
    if (phase_ != Phase::idle || !tenant.boundary_waits) continue;
    begin_boundary(tenant, now);
  }
  start_wanted_change(now);
}

void LlcControl::begin_gating(Cycle now) {
  enter(Phase::gating, now);
  gated_at_ = now + (gates_change_ ? static_cast<Cycle>(params_.gating) : 1);
  book(gated_at_);
}

void LlcControl::end_change(Cycle now) {
  if (gates_change_)
    for (ControlOut<RouterControlIf>& gate : gate_ports_)
      if (!gate->is_drained()) return book(now + 1);  // credits of the last packets are on their way
  count_time(now);
  LlcTenant& tenant = *active_;
  if (gates_change_)
    for (ControlOut<RouterControlIf>& gate : gate_ports_) gate->set_bypass(target_ == LlcMode::private_);
  enter(Phase::idle, now);
  changes_ = false;
  tenant.organization->changed(target_, now, totals(tenant));
  tenant.wanted = target_;
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    slice->set_write_through(tenant.applications, tenant.organization->writes_through());
  update_watching();
  set_timer();
  if (stalled_ != 0) sms_->resume_sms(stalled_);
  stalled_ = 0;
  if (at_boundary_) end_boundary(tenant, clock().ledger_at(now));
  start_waiting_work(now);
}

void LlcControl::kernel_began(std::uint32_t application, Cycle now) {
  LlcTenant& tenant = tenants_.of(application);
  tenant.pinned = false;
  tenant.organization->kernel_began(now, totals(tenant));
  tenant.wanted = tenant.organization->mode();
  update_watching();
  set_timer();
  start_wanted_change(now);
}

void LlcControl::atomics_found(std::uint32_t application, Cycle now) {
  LlcTenant& tenant = tenants_.of(application);
  tenant.pinned = true;
  tenant.wanted = tenant.organization->atomics_found(now);
  update_watching();
  set_timer();
  start_wanted_change(now);
}

void LlcControl::kernel_ended(std::uint32_t application, KernelBoundaryDoneIf& done, Cycle now) {
  LlcTenant& tenant = tenants_.of(application);
  ++stats_.kernel_boundaries;
  tenant.boundary_done = &done;
  tenant.boundary_waits = phase_ != Phase::idle;
  if (!tenant.boundary_waits) begin_boundary(tenant, now);
}

// What a boundary flushes or forgets may be of a kernel that still runs.
bool LlcControl::separates_kernels(std::uint32_t application) const {
  const LlcTenant& tenant = tenants_.of(application);
  return tenant.replicates || tenant.organization->at_kernel_end() != KernelEndFlush::nothing;
}

void LlcControl::begin_boundary(LlcTenant& tenant, Cycle now) {
  tenant.boundary_waits = false;
  const KernelEndFlush what = tenant.organization->at_kernel_end();
  tenant.organization->kernel_ended(now);
  tenant.pinned = false;
  update_watching();
  set_timer();
  const bool bound =
      std::any_of(slice_ports_.begin(), slice_ports_.end(), [](const auto& slice) { return slice.bound(); });
  if (what == KernelEndFlush::nothing && tenant.replicates)
    for (ControlOut<SliceControlIf>& slice : slice_ports_)
      if (slice.bound()) slice->forget_read_only(tenant.applications);
  if (what == KernelEndFlush::nothing || !bound) return end_boundary(tenant, now);
  ++stats_.flushes;
  flush_began_ = now;
  active_ = &tenant;
  at_boundary_ = true;
  target_ = tenant.organization->mode();
  // Rule 3: the next kernel starts shared. Nothing of it is in flight: its SMs need not stall.
  changes_ = tenant.changes_mode && !(forced_ && forced_mode_ == LlcMode::private_);
  gates_change_ = changes_ && !gate_ports_.empty() && tenants_.all_private(active_);
  if (changes_) {
    target_ = LlcMode::shared;
    ++stats_.to_shared;
    ++stats_.to_shared_at_boundary;
  }
  if (gates_change_ && tenant.applications != every_application) {
    // The routers are powered on: nothing of the others may be in them.
    enter(Phase::draining, now);
    stalled_ = every_application;
    return sms_->stall_sms(stalled_);
  }
  enter(Phase::flushing, now);
  order_flush(what == KernelEndFlush::replicas ? LlcFlush::replicas : LlcFlush::all);
}

void LlcControl::end_boundary(LlcTenant& tenant, Cycle at) {
  KernelBoundaryDoneIf& done = *tenant.boundary_done;
  tenant.boundary_done = nullptr;
  done.kernel_boundary_done(at);
}

bool LlcControl::force_mode(bool on, LlcMode mode) {
  if (!params_.changes_mode()) return false;
  forced_ = on;
  forced_mode_ = mode;
  start_wanted_change(clock().now());
  return true;
}

bool LlcControl::force_degree(int degree) {
  bool had = false;
  for (LlcTenant& tenant : tenants_) had = tenant.organization->force_degree(degree) || had;
  return had;
}

}  // namespace strata
