#pragma once

#include <vector>

#include "models/router_stage/router_stage_shell.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// What both routers do in lt with a caller that cannot wait for its answer: its packets are led past the
/// queues, through the pipeline and the first free cycles of their output in a calendar.
class RouterStageLt : public RouterStageShell<LtLinks> {
 public:
  RouterStageLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;

 private:
  /// From the link to the switch.
  Cycle pipeline() const { return static_cast<Cycle>(params().shape(false, bypassed()).enter); }
  Cycle pass(std::vector<SlotCalendar>& outputs, int output, Access& access, int flits, Cycle at);

  std::vector<SlotCalendar> requests_past_;  // by output
  std::vector<SlotCalendar> replies_past_;   // by input
};

}  // namespace strata
