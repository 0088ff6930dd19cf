#include "models/router_stage/router_stage_lt.h"

#include "models/router_stage/router_stage_shell_hot.h"

namespace strata {

RouterStageLt::RouterStageLt(sc_core::sc_module_name module_name, const RouterStageParams& params,
                             const BuildContext& context)
    : RouterStageShell(module_name, params, context),
      request_calendars_(static_cast<std::size_t>(params.outputs)),
      reply_calendars_(static_cast<std::size_t>(params.inputs)) {}

// The cycle in which the head leaves.
Cycle RouterStageLt::pass(std::vector<SlotCalendar>& outputs, int output, Access& access, int flits,
                          Cycle at) {
  SlotCalendar& calendar = outputs[static_cast<std::size_t>(output)];
  calendar.slide(clock().now());
  access.flits = static_cast<std::uint8_t>(flits);
  return calendar.book(at + pipeline(), static_cast<unsigned>(flits)) + 1 - static_cast<Cycle>(flits);
}

LtAnswer RouterStageLt::transport(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const int output = output_for(access, port);
  const Cycle there = pass(request_calendars_, output, access, request_flits(access), at);
  access.ledger.charge_until(Cause::request_router, clock().ledger_at(at + pipeline()));
  access.ledger.charge_until(Cause::request_queue, clock().ledger_at(there));
  const Cycle accepted = at + access.flits;
  const LtAnswer answer = out(output).transport(txn, there);
  const Cycle back = pass(reply_calendars_, port, access, reply_flits(access), answer.done);
  access.ledger.charge_until(Cause::reply_router, clock().ledger_at(answer.done + pipeline()));
  access.ledger.charge_until(Cause::reply_queue, clock().ledger_at(back));
  return {accepted, back};
}

}  // namespace strata
