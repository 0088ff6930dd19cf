#pragma once

#include "models/llc_slice/llc_slice_shell.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// One LLC slice behind b_transport: the text of LlcSliceAt, told of requests before they come and of answers
/// when they are known.
///
/// A caller that cannot wait for its answer is served past the pipeline: it enters through a calendar, one
/// request a cycle, is decided in the order of the calls, and a miss is fetched within the call.
class LlcSliceLt final : public LlcSliceShell<LtLinks> {
 public:
  LlcSliceLt(sc_core::sc_module_name name, const LlcSliceParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;

 private:
  Cycle fetch_now(Txn& txn, const LlcDecision& decision, Cycle now);

  SlotCalendar entry_;
};

}  // namespace strata
