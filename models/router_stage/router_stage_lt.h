#pragma once

#include <array>
#include <vector>

#include "models/router_stage/router_stage.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// A router stage behind b_transport: the text of RouterStage, told of packets before they come and of
/// answers when they are known.
///
/// A caller that cannot wait for its answer is led past the queues: its packets take the pipeline, and the
/// first free cycles of their output in a calendar.
class RouterStageLt final : public RouterStageShell<LtLinks> {
 public:
  RouterStageLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;

 private:
  Cycle pass(std::vector<SlotCalendar>& outputs, int output, Access& access, int flits, Cycle at);

  Cycle enter_;                              // from the link to the switch
  std::vector<SlotCalendar> requests_past_;  // by output
  std::vector<SlotCalendar> replies_past_;   // by input
};

}  // namespace strata
