#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/llc_control/llc_applications.h"
#include "models/llc_control/slice_control_if.h"
#include "models/llc_predictors/sharing_windows.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/organization_port_if.h"
#include "models/tlm/register_port.h"
#include "models/tlm/router_control_if.h"

namespace strata {

/// The control of an LLC: tells routers which slice serves a request, keeps the clock of profiles and epochs,
/// changes the LLC from shared to private and back, and flushes slices at kernel boundaries.
///
/// A change takes what it takes: the SMs stop, their accesses drain, slices write back (to private) or flush
/// (to shared), routers are gated or powered on, the SMs go on. Epochs are SystemC events that exist only
/// while a kernel runs: an idle platform costs nothing.
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
  /// A change of mode is under way.
  bool changing() const { return phase_ != Phase::idle; }
  /// Keep this mode whatever the policy wants, or leave it to the policy again; false when the organization
  /// never changes.
  bool force_mode(bool on, LlcMode mode);
  bool force_degree(int degree);

 private:
  /// What the LLC is going through. A flush between kernels is no change of mode, but takes the same way.
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
  bool watching_ = false;  // requests are of interest to the policy
  std::deque<ControlIn<OrganizationPortIf>> organization_ports_;
  std::deque<ControlOut<SliceControlIf>> slice_ports_;
  std::deque<ControlOut<RouterControlIf>> gate_ports_;
  std::vector<ReplyStage> stages_;  // routers that ask, as they introduced themselves
  SmStallIf* sms_ = nullptr;

  Phase phase_ = Phase::idle;
  Cycle phase_since_ = 0;
  LlcApplication* active_ = nullptr;  // whose work is under way: one at a time
  LlcMode target_ = LlcMode::shared;  // of the change under way
  bool changes_ = false;              // what is under way is a change of mode
  bool at_boundary_ = false;          // it is between two kernels
  bool gates_change_ = false;         // it gates the routers or powers them on
  ApplicationSet stalled_ = 0;        // whose SMs, by us
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
