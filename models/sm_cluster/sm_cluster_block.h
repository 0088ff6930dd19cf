#pragma once

#include "models/cta_dispatcher/cta_launch_if.h"
#include "models/sm_cluster/sm_tenants.h"
#include "models/tlm/block.h"

namespace strata {

/// An SM cluster in either timing, as sessions see it; what both timings share.
class SmClusterBlock : public Block, public CtaLaunchIf {
 public:
  SmClusterBlock(sc_core::sc_module_name module_name, ClockDomain& clock, int sms)
      : Block(module_name, clock, sms), tenants_(sms) {}

  /// Zeros when the application has no SM here.
  const SmClusterStats& counters(int application = all_applications) const {
    return tenants_.stats(application);
  }

  // CtaLaunchIf
  std::uint64_t instructions(int application) const override {
    return counters(application).thread_instructions;
  }

  // Block
  const StatSet& stats() const override { return counters(); }
  const StatSet* application_stats(int application) const override { return &counters(application); }
  const LedgerTotals* ledger(int application = all_applications) const override {
    return &tenants_.totals(application);
  }
  void reset_stats() override {
    settle(clock().now());
    tenants_.reset_stats();
  }

 protected:
  SmTenants tenants_;
};

}  // namespace strata
