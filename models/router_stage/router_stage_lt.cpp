#include "models/router_stage/router_stage_lt.h"

#include <algorithm>

#include "models/router_stage/router_stage_shell_hot.h"

namespace strata {

RouterStageLt::RouterStageLt(sc_core::sc_module_name module_name, const RouterStageParams& params,
                             const BuildContext& context)
    : RouterStageShell(module_name, params, context) {
  for (const bool reply : {false, true}) {
    const auto outputs = static_cast<std::size_t>(reply ? params.inputs : params.outputs);
    direct_[reply].calendars.resize(outputs);
    direct_[reply].flits.resize(outputs);
  }
}

// The cycle in which the head leaves.
Cycle RouterStageLt::pass(bool reply, int output, Access& access, int flits, Cycle at) {
  Direct& direct = direct_[reply];
  ++direct.packets;
  direct.flits[static_cast<std::size_t>(output)] += static_cast<unsigned>(flits);
  SlotCalendar& calendar = direct.calendars[static_cast<std::size_t>(output)];
  calendar.slide(clock().now());
  access.flits = static_cast<std::uint8_t>(flits);
  return calendar.book(at + pipeline(), static_cast<unsigned>(flits)) + 1 - static_cast<Cycle>(flits);
}

LtAnswer RouterStageLt::transport(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const int output = output_for(access, port);
  const Cycle there = pass(false, output, access, request_flits(access), at);
  access.ledger.charge_until(places_[0].router, clock().ledger_at(at + pipeline()));
  access.ledger.charge_until(places_[0].queue, clock().ledger_at(there));
  const Cycle accepted = at + access.flits;
  const LtAnswer answer = out(output).transport(txn, there);
  const Cycle back = pass(true, port, access, reply_flits(access), answer.done);
  access.ledger.charge_until(places_[1].router, clock().ledger_at(answer.done + pipeline()));
  access.ledger.charge_until(places_[1].queue, clock().ledger_at(back));
  return {accepted, back};
}

void RouterStageLt::settle(Cycle now) {
  RouterStageShell::settle(now);
  for (const bool reply : {false, true}) {
    const Direct& direct = direct_[reply];
    RouterStageStats::Network& figures = reply ? stats_.reply : stats_.request;
    figures.counters.packets_in += direct.packets;
    figures.counters.packets_out += direct.packets;
    for (std::size_t o = 0; o < direct.flits.size(); ++o) {
      const std::uint64_t flits = direct.flits[o],
                          busy = network(reply).busy_cycles(static_cast<int>(o)) + flits;
      figures.counters.flits_in += flits;
      figures.counters.flits_out += flits;
      figures.bytes_in += flits * static_cast<std::uint64_t>(params().channel_bytes);
      figures.bytes_out += flits * static_cast<std::uint64_t>(params().channel_bytes);
      figures.busy_cycles += flits;
      figures.busy_cycles_max = std::max(figures.busy_cycles_max, busy);
    }
  }
}

void RouterStageLt::reset_stats() {
  RouterStageShell::reset_stats();
  for (Direct& direct : direct_) direct.packets = 0, std::fill(direct.flits.begin(), direct.flits.end(), 0);
}

}  // namespace strata
