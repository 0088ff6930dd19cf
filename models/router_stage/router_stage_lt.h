#pragma once

#include <array>
#include <vector>

#include "models/router_stage/router_stage_shell.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// What both routers do in lt for a blocking caller, which must have its answer within the call: its packets
/// do not enter the queues but take the pipeline and the first free cycles in a calendar of their output.
class RouterStageLt : public RouterStageShell<LtLinks> {
 public:
  RouterStageLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  void settle(Cycle now) override;
  void reset_stats() override;

 private:
  /// What blocking callers led through one of the two networks.
  struct Direct {
    std::vector<SlotCalendar> calendars;  // by output
    std::vector<std::uint64_t> flits;     // by output
    std::uint64_t packets = 0;
  };

  /// Cycles from the link to the switch.
  Cycle pipeline() const { return static_cast<Cycle>(params().shape(false, bypassed()).enter); }
  Cycle pass(bool reply, int output, Access& access, int flits, Cycle at);

  std::array<Direct, 2> direct_;
};

}  // namespace strata
