#include "models/traffic/traffic_lt.h"

#include <algorithm>

namespace strata {

TrafficLt::TrafficLt(sc_core::sc_module_name module_name, const TrafficParams& params,
                     const BuildContext& context)
    : TrafficShell(module_name, params, context), quantum_(params.quantum), most_open_(params.outstanding) {
  links_.resize(static_cast<std::size_t>(params.ports));
  for (int p = 0; p < params.ports; ++p) {
    links_[static_cast<std::size_t>(p)].port =
        std::make_unique<LtInitiatorPort>(*this, group(), p, static_cast<LtCaller*>(this));
    if (const Cycle first = core_.due(p); first != never) book(first, p);
  }
}

[[gnu::always_inline]] inline void TrafficLt::send(Link& link, int unit, Cycle now) {
  Txn& txn = make(unit, now);
  const LtAnswer answer = link.port->post(txn, now);
  link.free = answer.accepted == never ? never : std::max(answer.accepted, now + 1);
  if (answer.accepted == never) ++core_.stats().held_requests;
  if (answer.done == never) return;
  if (answer.at_once) return retire_at_once(txn, unit, answer.done);
  link.port->answer_taken(answer.done, answer.done + 1);
  retire(txn, unit, *link.port, answer.done);
}

void TrafficLt::advance(Cycle now, int unit) {
  Link& link = links_[static_cast<std::size_t>(unit)];
  if (now <= link.local) return;  // it has run past this wake
  const Cycle limit = now + static_cast<Cycle>(quantum_);
  for (Cycle cycle = now;;) {
    link.local = cycle;
    core_.take_answers(unit, cycle);
    if (link.free <= cycle && core_.may_send(unit, cycle)) send(link, unit, cycle);
    const bool left = !core_.all_sent(unit);
    if (left && link.free == never) return;
    const Cycle due = core_.due(unit);
    if (due == never) return;
    cycle = std::max({due, left ? link.free : 0, cycle + 1});
    // The end of the work is looked at in simulated time.
    if (cycle >= limit || !left) return book(cycle, unit);
  }
}

// What comes in the past of the port is seen in its present.
void TrafficLt::answered(Txn& txn, int port, const LtAnswer& answer) {
  Link& link = links_[static_cast<std::size_t>(port)];
  link.port->answer_taken(answer.done, answer.done + 1);
  retire(txn, port, *link.port, std::max(answer.done, link.local));
  if (core_.all_sent(port) || core_.open(port) == most_open_)
    book(std::max(core_.due(port), link.local + 1), port);
}

void TrafficLt::accepted(int port, Cycle at) {
  Link& link = links_[static_cast<std::size_t>(port)];
  link.free = std::max(at, link.local + 1);
  book(link.free, port);
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
