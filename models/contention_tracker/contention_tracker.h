#pragma once

#include "models/contention_tracker/contention_tracker_core.h"
#include "models/llc_slice/line_use_port_if.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/register_port.h"

namespace strata {

/// Says who makes whom miss in the LLC: observes the slices that are bound to it, and takes no time.
class ContentionTracker final : public Block, private LineUsePortIf {
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

  const ContentionTrackerParams& params() const { return core_.params(); }
  const ContentionCounters& counters() const { return core_.counters(); }
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
