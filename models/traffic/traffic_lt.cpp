#include "models/traffic/traffic_lt.h"

#include <algorithm>

namespace strata {

TrafficLt::TrafficLt(sc_core::sc_module_name module_name, const TrafficParams& params,
                     const BuildContext& context)
    : TrafficBlock(module_name, params, context), quantum_(params.quantum), most_open_(params.outstanding) {
  links_.resize(static_cast<std::size_t>(params.ports));
  for (int p = 0; p < params.ports; ++p) {
    links_[static_cast<std::size_t>(p)].port = std::make_unique<LtInitiatorPort>(*this, group(), p);
    if (const Cycle first = core_.due(p); first != never) book(first, p);
  }
}

void TrafficLt::advance(Cycle now, int unit) {
  Link& link = links_[static_cast<std::size_t>(unit)];
  const Cycle limit = now + static_cast<Cycle>(quantum_);
  for (Cycle cycle = now;;) {
    core_.take_answers(unit, cycle);
    if (link.free <= cycle && core_.may_send(unit, cycle)) send(link, unit, cycle);
    const Cycle due = core_.due(unit);
    if (due == never) return;
    cycle = std::max({due, core_.all_sent(unit) ? 0 : link.free, cycle + 1});
    // The end of the work is looked at in simulated time.
    if (cycle >= limit || core_.all_sent(unit)) return book(cycle, unit);
  }
}

void TrafficLt::send(Link& link, int unit, Cycle now) {
  Txn& txn = make(unit, now);
  const LtAnswer answer = link.port->transport(txn, now);
  link.free = std::max(answer.accepted, now + 1);
  if (!answer.at_once) link.port->answer_taken(answer.done, answer.done + 1);
  retire(txn, unit, answer.done, answer.at_once);
}

std::vector<WaitNote> TrafficLt::waits() const {
  std::vector<WaitNote> notes;
  for (int p = 0; p < core_.ports(); ++p)
    if (core_.open(p) != 0)
      notes.push_back({"port " + std::to_string(p) + ": accesses without an answer",
                       links_[static_cast<std::size_t>(p)].port->peer(), core_.open(p), most_open_, nullptr});
  return notes;
}

}  // namespace strata
