#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "models/cta_dispatcher/kernel_boundary_if.h"
#include "models/llc_control/organization.h"
#include "models/llc_control/slice_control_if.h"
#include "models/llc_predictors/sharing_windows.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/organization_port_if.h"
#include "models/tlm/register_port.h"
#include "models/tlm/router_control_if.h"

namespace strata {

/// An application in the LLC: its organization, and what it waits for.
struct LlcApplication {
  int index = 0;
  ApplicationSet applications = 0;  ///< whose lines and accesses are its own
  std::unique_ptr<Organization> organization;
  bool changes_mode = false;
  bool replicates = false;
  LlcMode wanted = LlcMode::shared;  ///< by the policy
  bool pinned = false;               ///< the present kernel has atomics
  KernelBoundaryDoneIf* boundary_done = nullptr;
  bool boundary_waits = false;  ///< for the end of other work
  LlcApplicationStats stats;
};

/// The applications in an LLC. The first one also has all accesses that belong to no program of the
/// dispatcher; with one application, it has all accesses.
class LlcApplications {
 public:
  LlcApplications(const LlcControlParams& params, const AddressMap& map, int count);

  int size() const { return static_cast<int>(apps_.size()); }
  auto begin() { return apps_.begin(); }
  auto end() { return apps_.end(); }
  auto begin() const { return apps_.begin(); }
  auto end() const { return apps_.end(); }
  LlcApplication& of(std::uint32_t application) { return apps_[place_[application_place(application)]]; }
  const LlcApplication& of(std::uint32_t application) const {
    return apps_[place_[application_place(application)]];
  }
  Organization& organization_of(const Access& access) const {
    return *organizations_[application_place(access.application)];
  }
  /// The LLC is private for all, or for all but one.
  bool all_private(const LlcApplication* but = nullptr) const;
  /// True while a policy observes requests.
  bool watch() const;

 private:
  std::vector<LlcApplication> apps_;
  std::array<std::size_t, max_applications> place_{};
  std::array<Organization*, max_applications> organizations_{};
};

/// The control of an LLC: chooses the slice of a request for routers, times profiles and epochs, changes the
/// LLC from shared to private and back, and flushes slices at kernel boundaries.
///
/// A change is modelled step by step: the SMs stop, their accesses drain, slices write back (to private) or
/// flush (to shared), routers are gated or powered on, the SMs go on. Epochs are SystemC events that exist
/// only while a kernel runs: an idle platform costs nothing.
class LlcControl final : public Block,
                         public LlcChoicesIf,
                         private OrganizationPortIf,
                         private KernelBoundaryIf,
                         private SliceFlushDoneIf {
  LlcControlStats stats_;  // before `registers`, which refers to it

 public:
  LlcControl(sc_core::sc_module_name name, const LlcControlParams& params, const BuildContext& context);

  void advance(Cycle now, int unit) override;
  const StatSet& stats() const override { return stats_; }
  /// Where it cannot tell applications apart, one organization serves them all.
  const StatSet* application_stats(int application) const override {
    return &apps_.of(static_cast<std::uint32_t>(application)).stats;
  }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  ControlIn<OrganizationPortIf>& organization(int i) {
    return organization_ports_[static_cast<std::size_t>(i)];
  }
  ControlOut<SliceControlIf>& slice(int i) { return slice_ports_[static_cast<std::size_t>(i)]; }
  ControlOut<RouterControlIf>& gate(int i) { return gate_ports_[static_cast<std::size_t>(i)]; }
  ControlIn<KernelBoundaryIf> boundary{*this, "boundary", 0, *this};
  /// For hosts and RTL benches: bind any initiator.
  RegisterPort registers;

  int application_count() const override { return apps_.size(); }
  std::string_view organization_of(int application) const override;
  const std::vector<LlcChoice>& choices(int application) const override {
    return policy(application).choices();
  }
  const Organization& policy(int application) const {
    return *apps_.of(static_cast<std::uint32_t>(application)).organization;
  }
  /// True during a change of mode.
  bool changing() const { return phase_ != Phase::idle; }
  /// Fixes this mode, or returns the choice to the policy. False when the organization never changes.
  bool force_mode(bool on, LlcMode mode);
  bool force_degree(int degree);

 private:
  /// The step of the present work. A flush between kernels is no change of mode, but takes the same steps.
  enum class Phase : std::uint8_t { idle, draining, flushing, gating };

  void start_of_simulation() override;
  int slice_for(const Access& access) override;
  int slice_of(const Access& access) const override { return apps_.organization_of(access).slice_of(access); }
  void attach(const ReplyStage& stage) override;
  void connect(SmStallIf& sms) override { sms_ = &sms; }
  void kernel_began(std::uint32_t application, Cycle now) override;
  void kernel_ended(std::uint32_t application, KernelBoundaryDoneIf& done, Cycle now) override;
  bool separates_kernels(std::uint32_t application) const override;
  bool wants_atomics() const override { return params_.changes_mode(); }
  void atomics_found(std::uint32_t application, Cycle now) override;
  void sms_quiesced(Cycle now) override;
  void slice_flushed(int id, Cycle ledger_cycle) override;

  void define_registers();
  int& profile_cycles() {
    return params_.rule == LlcControlParams::Rule::windowed ? params_.trial : params_.profile;
  }
  std::string write_force_mode(std::uint64_t value);
  std::string write_force_degree(std::uint64_t value);
  std::string write_epoch(std::uint64_t epoch, std::uint64_t profile);
  Faults wiring_faults();
  LlcMachine machine();
  void on_timer();
  void set_timer();
  void look(Cycle now);
  void start_wanted_change(Cycle now);
  void enter(Phase phase, Cycle now);
  LlcMode wanted_mode(const LlcApplication& app) const;
  void begin_change(LlcApplication& app, LlcMode mode, Cycle now);
  void order_flush(LlcFlush what);
  void start_waiting_work(Cycle now);
  void begin_gating(Cycle now);
  void end_change(Cycle now);
  void begin_boundary(LlcApplication& app, Cycle now);
  void end_boundary(LlcApplication& app, Cycle at);
  SliceTotals totals(const LlcApplication& app);
  void update_watching();
  void watch_sharing(const Access& access);
  void count_time(Cycle now);

  LlcControlParams params_;
  const AddressMap& map_;
  LlcApplications apps_;
  bool watching_ = false;  // the policy observes requests
  std::deque<ControlIn<OrganizationPortIf>> organization_ports_;
  std::deque<ControlOut<SliceControlIf>> slice_ports_;
  std::deque<ControlOut<RouterControlIf>> gate_ports_;
  std::vector<ReplyStage> stages_;  // routers that ask, as they introduced themselves
  SmStallIf* sms_ = nullptr;

  Phase phase_ = Phase::idle;
  Cycle phase_since_ = 0;
  LlcApplication* active_ = nullptr;  // the application whose work is in progress: one at a time
  LlcMode target_ = LlcMode::shared;  // of the present change
  bool changes_ = false;              // the present work is a change of mode
  bool at_boundary_ = false;          // it is between two kernels
  bool gates_change_ = false;         // it gates the routers or powers them on
  ApplicationSet stalled_ = 0;        // applications whose SMs this control has stalled
  bool forced_ = false;
  LlcMode forced_mode_ = LlcMode::shared;
  std::uint64_t forced_degree_ = 0;
  std::uint64_t epoch_cycles_;
  int slices_busy_ = 0;
  Cycle flush_began_ = 0;
  Cycle gated_at_ = never;
  Cycle look_at_ = never;
  Cycle counted_until_ = 0;
  std::unique_ptr<SharingWindows> clusters_;
  std::unique_ptr<SharingWindows> sms_reading_;
  sc_core::sc_event timer_;
};

}  // namespace strata
