#pragma once

#include <deque>
#include <memory>

#include "models/cta_dispatcher/kernel_boundary_if.h"
#include "models/llc_control/llc_control_stats.h"
#include "models/llc_control/organization.h"
#include "models/llc_control/organization_if.h"
#include "models/llc_slice/slice_control_if.h"
#include "models/tlm/module_kind.h"

namespace strata {

/// The control of an LLC: tells routers which slice serves a request and flushes the slices at kernel
/// boundaries when the organization asks for it. It has no clocked work of its own.
class LlcControl final : public Block,
                         private OrganizationPortIf,
                         private KernelBoundaryIf,
                         private SliceFlushDoneIf {
 public:
  LlcControl(sc_core::sc_module_name name, const LlcControlParams& params, const BuildContext& context);

  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  ControlIn<OrganizationPortIf>& organization(int i) {
    return organization_ports_[static_cast<std::size_t>(i)];
  }
  ControlOut<SliceControlIf>& slice(int i) { return slice_ports_[static_cast<std::size_t>(i)]; }
  ControlIn<KernelBoundaryIf> boundary{*this, "boundary", 0, *this};

 private:
  void start_of_simulation() override;
  int slice_for(Address line, int cluster, AccessClass access_class) override;
  void kernel_ended(KernelBoundaryDoneIf& done, Cycle now) override;
  void slice_flushed(int id, Cycle ledger_cycle) override;

  LlcControlParams params_;
  std::unique_ptr<Organization> organization_;
  std::deque<ControlIn<OrganizationPortIf>> organization_ports_;
  std::deque<ControlOut<SliceControlIf>> slice_ports_;
  KernelBoundaryDoneIf* boundary_done_ = nullptr;
  int slices_flushing_ = 0;
  Cycle flush_began_ = 0;
  LlcControlStats stats_;
};

/// The row of the table of modules.
const ModuleKind& llc_control_kind();

}  // namespace strata
