#pragma once

#include "models/common/counts_if.h"
#include "models/contention_tracker/contention_tracker_core.h"
#include "models/llc_slice/line_use_port_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/register_port.h"

namespace strata {

/// Counts which kernel makes which miss in the LLC: observes the slices bound to it, and takes no time.
class ContentionTracker final : public Block, public ContentionCountsIf, private LineUsePortIf {
  ContentionTrackerCore core_;  // before `registers`, which refers to it

 public:
  ContentionTracker(sc_core::sc_module_name name, const ContentionTrackerParams& params,
                    const BuildContext& context);

  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return *stats_; }
  void reset_stats() override { core_.reset_stats(), stats_ = &core_.stats(); }
  void settle(Cycle) override { stats_ = &core_.stats(); }

  /// Any number of slices.
  ControlIn<LineUsePortIf> slice{*this, "slice", 0, *this};
  /// For hosts and RTL benches: bind any initiator.
  RegisterPort registers;

  bool by_sm() const override { return core_.params().owners == ContentionTrackerParams::Owners::sm; }
  int kernels() const override { return core_.params().kernels; }
  std::uint64_t misses(int kernel) const override { return core_.counters().misses(kernel); }
  std::uint64_t demotions(int victim, int aggressor) const override {
    return core_.counters().demotions(victim, aggressor);
  }
  std::uint64_t evictions(int victim, int aggressor) const override {
    return core_.counters().evictions(victim, aggressor);
  }
  std::uint64_t storage_bits() const override {
    return core_.owner_bits() + core_.plob_bits() + core_.gdc_bits();
  }
  void reset_counters() { core_.reset_counters(); }

 private:
  LineUseIf& attach(const TagArray& tags) override { return core_.add_slice(tags); }
  void define_registers();
  void define_counters();

  const ContentionTrackerStats* stats_ = &core_.stats();
};

/// Row of the table of modules.
const ModuleKind& contention_tracker_kind();

}  // namespace strata
