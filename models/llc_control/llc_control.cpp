#include "models/llc_control/llc_control.h"

#include <algorithm>

#include "models/llc_control/organization_kind.h"

namespace strata {

LlcApplications::LlcApplications(const LlcControlParams& params, const AddressMap& map, int count)
    : apps_(static_cast<std::size_t>(count)) {
  for (int a = 0; a < count; ++a) {
    LlcApplication& app = apps_[static_cast<std::size_t>(a)];
    const LlcControlParams own = params.of_application(a, count);
    app.index = a;
    app.applications = only_application(a);
    app.organization = make_organization(own, map);
    app.changes_mode = own.changes_mode();
    app.replicates = own.replicates();
    app.wanted = app.organization->mode();
  }
  apps_.front().applications |= every_application << count;
  for (std::size_t a = 0; a < place_.size(); ++a) {
    place_[a] = a < apps_.size() ? a : 0;
    organizations_[a] = apps_[place_[a]].organization.get();
  }
}

bool LlcApplications::all_private(const LlcApplication* but) const {
  return std::all_of(apps_.begin(), apps_.end(), [but](const LlcApplication& app) {
    return &app == but || app.organization->mode() == LlcMode::private_;
  });
}

bool LlcApplications::watch() const {
  return std::any_of(apps_.begin(), apps_.end(),
                     [](const LlcApplication& app) { return app.organization->watches(); });
}

namespace {

// Addresses of the register window.
constexpr std::uint64_t identity = 0x1'4c4c4354;  // version 1, "LLCT"
constexpr std::uint64_t first_counter = 0x100;
constexpr std::uint64_t first_slice = 0x1000;

/// Names of all counters, or the value of one.
class CounterReader final : public StatVisitor {
 public:
  explicit CounterReader(std::size_t wanted = 0) : wanted_(wanted) {}
  std::vector<std::string> names;
  std::uint64_t value = 0;
  void counter(const StatInfo& info, const std::uint64_t& counted) override {
    if (names.size() == wanted_) value = counted;
    names.emplace_back(info.name);
  }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}

 private:
  std::size_t wanted_;
};

}  // namespace

LlcControl::LlcControl(sc_core::sc_module_name module_name, const LlcControlParams& params,
                       const BuildContext& context)
    : Block(module_name, context.clock),
      registers(*this, "registers", {stats_.register_reads, stats_.register_writes, stats_.register_errors}),
      params_(params),
      map_(context.map),
      apps_(params, context.map, 1),
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
  if (sms_ != nullptr) apps_ = LlcApplications(params_, map_, std::max(1, sms_->application_count()));
  Faults faults = wiring_faults();
  for (Fault& fault : faults) fault.message = std::string(name()) + ": " + fault.message;
  if (!faults.empty()) throw ConfigError(std::move(faults));
  target_ = apps_.of(0).organization->mode();
  for (LlcApplication& app : apps_) {
    const LlcControlParams own = params_.of_application(app.index, application_count());
    if (own.changes_mode() || own.replicates()) app.organization->attach(machine());
    stats_.predictor_bits += app.organization->predictor_bits();
    for (ControlOut<SliceControlIf>& slice : slice_ports_) {
      if (!slice.bound()) continue;
      if (app.organization->writes_through()) slice->set_write_through(app.applications, true);
      if (app.replicates) slice->expect_replicas(app.applications, slice.index());
    }
  }
  if (clusters_ != nullptr && sms_ != nullptr)
    sms_reading_ =
        std::make_unique<SharingWindows>(SharingWindowsParams{clusters_->params().window, sms_->sm_count()});
  update_watching();
}

int LlcControl::slice_for(const Access& access) {
  ++stats_.decisions;
  Organization& organization = apps_.organization_of(access);
  if (!watching_) return organization.slice_of(access);
  if (clusters_ != nullptr) watch_sharing(access);
  return organization.watches() ? organization.learn(access, clock().now()) : organization.slice_of(access);
}

void LlcControl::update_watching() {
  watching_ = clusters_ != nullptr || apps_.watch();
}

SliceTotals LlcControl::totals(const LlcApplication& app) {
  SliceTotals totals;
  for (ControlOut<SliceControlIf>& slice : slice_ports_) {
    const bool bound = slice.bound();
    totals.accesses.push_back(bound ? slice->accesses(app.applications) : 0);
    totals.misses.push_back(bound ? slice->misses(app.applications) : 0);
    totals.fetches += bound ? slice->fetches(app.applications) : 0;
  }
  if (sms_ != nullptr) totals.instructions = sms_->instructions(app.index);
  return totals;
}

// The timer fires a moment before its cycle, so that the cycle is reached whichever process runs first.
void LlcControl::set_timer() {
  timer_.cancel();
  look_at_ = never;
  for (const LlcApplication& app : apps_) look_at_ = std::min(look_at_, app.organization->next_look());
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
  for (LlcApplication& app : apps_)
    if (app.organization->next_look() <= now) app.wanted = app.organization->look(now, totals(app));
  update_watching();
  set_timer();
  start_wanted_change(now);
}

LlcMode LlcControl::wanted_mode(const LlcApplication& app) const {
  if (!app.changes_mode) return app.organization->mode();
  return app.pinned ? LlcMode::shared : forced_ ? forced_mode_ : app.wanted;
}

void LlcControl::start_wanted_change(Cycle now) {
  for (LlcApplication& app : apps_) {
    if (phase_ != Phase::idle) return;
    const LlcMode mode = wanted_mode(app);
    if (mode != app.organization->mode()) begin_change(app, mode, now);
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
void LlcControl::begin_change(LlcApplication& app, LlcMode mode, Cycle now) {
  active_ = &app;
  target_ = mode;
  changes_ = true;
  at_boundary_ = false;
  gates_change_ = !gate_ports_.empty() && apps_.all_private(active_);
  ++(mode == LlcMode::private_ ? stats_.to_private : stats_.to_shared);
  enter(Phase::draining, now);
  stalled_ = gates_change_ ? every_application : app.applications;
  sms_->stall_sms(stalled_);
}

// SMs may have another clock: a call between two core cycles takes effect in the later one.
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

// Starts work that came up during other work.
void LlcControl::start_waiting_work(Cycle now) {
  for (LlcApplication& app : apps_) {
    if (phase_ != Phase::idle || !app.boundary_waits) continue;
    begin_boundary(app, now);
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
  LlcApplication& app = *active_;
  if (gates_change_)
    for (ControlOut<RouterControlIf>& gate : gate_ports_) gate->set_bypass(target_ == LlcMode::private_);
  enter(Phase::idle, now);
  changes_ = false;
  app.organization->changed(target_, now, totals(app));
  app.wanted = target_;
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    slice->set_write_through(app.applications, app.organization->writes_through());
  update_watching();
  set_timer();
  if (stalled_ != 0) sms_->resume_sms(stalled_);
  stalled_ = 0;
  if (at_boundary_) end_boundary(app, clock().ledger_at(now));
  start_waiting_work(now);
}

void LlcControl::kernel_began(std::uint32_t application, Cycle now) {
  LlcApplication& app = apps_.of(application);
  app.pinned = false;
  app.organization->kernel_began(now, totals(app));
  app.wanted = app.organization->mode();
  update_watching();
  set_timer();
  start_wanted_change(now);
}

void LlcControl::atomics_found(std::uint32_t application, Cycle now) {
  LlcApplication& app = apps_.of(application);
  app.pinned = true;
  app.wanted = app.organization->atomics_found(now);
  update_watching();
  set_timer();
  start_wanted_change(now);
}

void LlcControl::kernel_ended(std::uint32_t application, KernelBoundaryDoneIf& done, Cycle now) {
  LlcApplication& app = apps_.of(application);
  ++stats_.kernel_boundaries;
  app.boundary_done = &done;
  app.boundary_waits = phase_ != Phase::idle;
  if (!app.boundary_waits) begin_boundary(app, now);
}

// The flush of a boundary may drop lines of a kernel that still runs.
bool LlcControl::separates_kernels(std::uint32_t application) const {
  const LlcApplication& app = apps_.of(application);
  return app.replicates || app.organization->at_kernel_end() != KernelEndFlush::nothing;
}

void LlcControl::begin_boundary(LlcApplication& app, Cycle now) {
  app.boundary_waits = false;
  const KernelEndFlush what = app.organization->at_kernel_end();
  app.organization->kernel_ended(now);
  app.pinned = false;
  update_watching();
  set_timer();
  const bool bound =
      std::any_of(slice_ports_.begin(), slice_ports_.end(), [](const auto& slice) { return slice.bound(); });
  if (what == KernelEndFlush::nothing && app.replicates)
    for (ControlOut<SliceControlIf>& slice : slice_ports_)
      if (slice.bound()) slice->forget_read_only(app.applications);
  if (what == KernelEndFlush::nothing || !bound) return end_boundary(app, now);
  ++stats_.flushes;
  flush_began_ = now;
  active_ = &app;
  at_boundary_ = true;
  target_ = app.organization->mode();
  // Rule 3: the next kernel starts shared. Nothing of it is in flight: its SMs need not stall.
  changes_ = app.changes_mode && !(forced_ && forced_mode_ == LlcMode::private_);
  gates_change_ = changes_ && !gate_ports_.empty() && apps_.all_private(active_);
  if (changes_) {
    target_ = LlcMode::shared;
    ++stats_.to_shared;
    ++stats_.to_shared_at_boundary;
  }
  if (gates_change_ && app.applications != every_application) {
    // The routers are powered on and must hold no packets of other applications.
    enter(Phase::draining, now);
    stalled_ = every_application;
    return sms_->stall_sms(stalled_);
  }
  enter(Phase::flushing, now);
  order_flush(what == KernelEndFlush::replicas ? LlcFlush::replicas : LlcFlush::all);
}

void LlcControl::end_boundary(LlcApplication& app, Cycle at) {
  KernelBoundaryDoneIf& done = *app.boundary_done;
  app.boundary_done = nullptr;
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
  for (LlcApplication& app : apps_) had = app.organization->force_degree(degree) || had;
  return had;
}

// ---- bindings, and the machine around the LLC ----

Faults LlcControl::wiring_faults() {
  Faults faults;
  const auto blame = [&](const std::string& message) { faults.push_back({{}, message}); };
  if (sms_ != nullptr && (params_.changes_mode() || params_.replicates() || params_.sharing_window != 0) &&
      sms_->cluster_count() != params_.clusters)
    blame("clusters is " + std::to_string(params_.clusters) + " but the dispatcher has " +
          std::to_string(sms_->cluster_count()));
  const std::size_t listed = params_.listed().size();
  if (apps_.size() > 1 && listed != 0 && listed != static_cast<std::size_t>(apps_.size()))
    blame("organizations is " + params_.organizations + ", which is for " + std::to_string(listed) +
          " applications, but " + std::to_string(apps_.size()) + " run");
  if (!params_.changes_mode() && !params_.replicates() && listed == 0) return faults;
  const std::string which = params_.changes_mode() ? "adaptive"
                            : params_.replicates() ? "replicating"
                                                   : "listed";
  if (sms_ == nullptr) blame("a " + which + " organization needs `boundary` bound to the dispatcher");
  for (const ControlOut<SliceControlIf>& slice : slice_ports_)
    if (!slice.bound()) {
      blame("a " + which + " organization needs every slice bound, but slice[" +
            std::to_string(slice.index()) + "] is not");
      break;
    }
  if (params_.changes_mode() && sms_ != nullptr && !sms_->can_stall())
    blame("an adaptive organization stalls the SMs, which these SMs cannot");
  for (ControlOut<RouterControlIf>& gate : gate_ports_) {
    if (!gate.bound()) {
      blame("gate[" + std::to_string(gate.index()) + "] is not bound");
    } else if (const std::string why = gate->bypass_fault(); params_.changes_mode() && !why.empty()) {
      blame("the router at gate[" + std::to_string(gate.index()) + "] " + why);
      break;
    }
  }
  return faults;
}

LlcMachine LlcControl::machine() {
  LlcMachine machine;
  machine.slice = slice_ports_.front()->tags();
  ReplyStage gated;
  if (!gate_ports_.empty()) {
    gated = gate_ports_.front()->reply_stage();
    gated.routers = static_cast<int>(gate_ports_.size());
    machine.shared_replies.push_back(gated);
  }
  if (!stages_.empty()) {
    ReplyStage asking = stages_.front();
    asking.routers = static_cast<int>(stages_.size());
    machine.shared_replies.push_back(asking);
    machine.private_replies.push_back(asking);
  }
  return machine;
}

void LlcControl::attach(const ReplyStage& stage) {
  stages_.push_back(stage);
}

// ---- counts of time, and the wait-for graph ----

std::string_view LlcControl::organization_of(int application) const {
  return params_.of_application(application, application_count()).kind().name;
}

void LlcControl::count_time(Cycle now) {
  if (now <= counted_until_) return;
  const Cycle spent = now - counted_until_;
  stats_.cycles += spent;
  int degree = 1;  // the largest
  for (LlcApplication& app : apps_) {
    if (app.organization->mode() == LlcMode::private_) app.stats.private_cycles += spent;
    degree = std::max(degree, app.organization->degree());
  }
  if (apps_.all_private()) stats_.private_cycles += spent;
  stats_.degree_cycles += spent * static_cast<Cycle>(degree);
  counted_until_ = now;
}

void LlcControl::settle(Cycle now) {
  count_time(now);
  enter(phase_, std::max(now, phase_since_));
  stats_.policy = {};
  for (const LlcApplication& app : apps_) add_stats(stats_.policy, app.organization->stats());
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

// An open profile counts again, because its decision will.
void LlcControl::reset_stats() {
  settle(clock().now());
  stats_ = {};
  for (LlcApplication& app : apps_) {
    LlcPolicyStats& policy = app.organization->stats();
    const std::uint64_t open =
        policy.profiles - policy.rule1_choices - policy.rule2_choices - policy.shared_choices;
    policy = {};
    policy.profiles = open;
    app.stats.private_cycles = 0;
    stats_.predictor_bits += app.organization->predictor_bits();
  }
}

void LlcControl::watch_sharing(const Access& access) {
  const Cycle now = clock().now();
  const Address line = access.line & ~(map_.line_bytes() - 1);
  clusters_->observe(line, access.cluster, now);
  if (access.access_class == AccessClass::read_only_load && sms_reading_ != nullptr)
    sms_reading_->observe(line, access.sm, now);
}

Faults LlcControl::check_idle() const {
  Faults faults;
  if (slices_busy_ != 0)
    faults.push_back({{name(), 0, 0}, std::to_string(slices_busy_) + " slices are still being flushed"});
  if (phase_ != Phase::idle)
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

// ---- the register window: docs/blocks/llc-control.md has the map ----

std::string LlcControl::write_force_mode(std::uint64_t value) {
  if (value > 2) return "allowed: 0 (as the policy wants), 1 (shared), 2 (private)";
  if (!force_mode(value != 0, value == 2 ? LlcMode::private_ : LlcMode::shared))
    return "the organization never changes; only adaptive does";
  return {};
}

std::string LlcControl::write_force_degree(std::uint64_t value) {
  count_time(clock().now());
  if (value > 64 || !force_degree(static_cast<int>(value)))
    return "allowed: 0 (as the policy wants) or a power of two that divides clusters and slices, under "
           "selrep";
  forced_degree_ = value;
  return {};
}

std::string LlcControl::write_epoch(std::uint64_t epoch, std::uint64_t profile) {
  constexpr std::uint64_t most = 1'000'000'000;
  bool had = epoch <= most && profile <= most;
  for (const LlcApplication& app : apps_)
    had = had && app.organization->set_epoch(static_cast<int>(epoch), static_cast<int>(profile));
  if (!had)
    return "allowed: an epoch that is longer than the profile (windowed: than two), under adaptive or selrep";
  epoch_cycles_ = epoch;
  profile_cycles() = static_cast<int>(profile);
  return {};
}

void LlcControl::define_registers() {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t at = 0;
  const auto next = [&](Register entry) {
    registers.define(at, std::move(entry));
    at += 8;
  };
  next({"IDENTITY", [] { return identity; }, nullptr});
  next({"ORGANIZATION", [=] { return number(params_.organization); }, nullptr});
  next({"MODE", [=] { return number(policy(0).mode()); }, nullptr});
  next({"CHANGING", [=] { return number(changing()); }, nullptr});
  next({"DEGREE", [=] { return number(policy(0).degree()); }, nullptr});
  next({"FORCE_MODE", [=] { return forced_ ? number(forced_mode_) + 1 : 0; },
        [this](std::uint64_t value) { return write_force_mode(value); }});
  next({"FORCE_DEGREE", [=] { return forced_degree_; },
        [this](std::uint64_t value) { return write_force_degree(value); }});
  next({"EPOCH", [=] { return epoch_cycles_; },
        [this](std::uint64_t value) {
          return write_epoch(value, static_cast<std::uint64_t>(profile_cycles()));
        }});
  next({"PROFILE", [=] { return number(profile_cycles()); },
        [this](std::uint64_t value) { return write_epoch(epoch_cycles_, value); }});
  next({"GATING", [=] { return number(params_.gating); },
        [this](std::uint64_t value) -> std::string {
          if (value > 100'000) return "allowed: 0 to 100000";
          params_.gating = static_cast<int>(value);
          return {};
        }});
  next({"CLUSTERS", [=] { return number(params_.clusters); }, nullptr});
  next({"SLICES", [=] { return number(params_.slices); }, nullptr});

  CounterReader names;
  stats_.for_each_stat(names);
  for (std::size_t i = 0; i < names.names.size(); ++i)
    registers.define(first_counter + 8 * i, {names.names[i],
                                             [this, i] {
                                               settle(clock().now());
                                               CounterReader reader(i);
                                               stats_.for_each_stat(reader);
                                               return reader.value;
                                             },
                                             nullptr});
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    registers.define(
        first_slice + 8 * number(slice.index()),
        {"SLICE_REQUESTS[" + std::to_string(slice.index()) + "]",
         [&slice]() -> std::uint64_t { return slice.bound() ? slice->accesses(every_application) : 0; },
         nullptr});
}

}  // namespace strata
