#include "models/traffic/traffic_at.h"

#include <algorithm>

namespace strata {

TrafficAt::TrafficAt(sc_core::sc_module_name module_name, const TrafficParams& params,
                     const BuildContext& context)
    : TrafficShell(module_name, params, context), most_open_(params.outstanding) {
  links_.resize(static_cast<std::size_t>(params.ports));
  for (int p = 0; p < params.ports; ++p) {
    links_[static_cast<std::size_t>(p)].port = std::make_unique<InitiatorPort>(*this, group(), p);
    if (const Cycle first = core_.due(p); first != never) book(first, p);
  }
}

void TrafficAt::advance(Cycle now, int unit) {
  Link& link = links_[static_cast<std::size_t>(unit)];
  core_.take_replies(unit, now);
  if (link.blocked == nullptr && link.free <= now && core_.may_send(unit, now)) send(link, unit, now);
  book_next(link, unit, now);
}

void TrafficAt::send(Link& link, int unit, Cycle now) {
  Txn& txn = make(unit, now);
  const Accept accept = link.port->send(txn);
  link.free = now + 1;
  if (accept.is_done()) {
    retire_at_once(txn, unit, accept.at);
  } else if (accept.is_held()) {
    ++core_.stats().held_requests;
    link.blocked = &txn;
  } else {
    link.free = std::max(accept.at, now + 1);
  }
}

// Whoever holds the request back, or the answer that makes room, wakes the port later.
void TrafficAt::book_next(const Link& link, int unit, Cycle now) {
  const bool left = !core_.all_sent(unit);
  if (left && link.blocked != nullptr) return;
  const Cycle due = core_.due(unit);
  if (due != never) book(std::max({due, left ? link.free : 0, now + 1}), unit);
}

void TrafficAt::request_unblocked(int port, Cycle at) {
  Link& link = links_[static_cast<std::size_t>(port)];
  link.blocked = nullptr;
  link.free = at;
  book_next(link, port, clock().now());
}

Accept TrafficAt::response(Txn& txn, int port, Cycle at) {
  retire(txn, port, *links_[static_cast<std::size_t>(port)].port, at);
  if (core_.all_sent(port) || core_.open(port) == most_open_)
    book_next(links_[static_cast<std::size_t>(port)], port, clock().now());
  return Accept::taken(at + 1);
}

std::vector<WaitNote> TrafficAt::waits() const {
  std::vector<WaitNote> notes;
  for (int p = 0; p < core_.ports(); ++p) {
    const Link& link = links_[static_cast<std::size_t>(p)];
    if (core_.open(p) == 0) continue;
    const bool held = link.blocked != nullptr;
    notes.push_back(
        {"port " + std::to_string(p) + ": accesses without an answer" + (held ? ", request held back" : ""),
         link.port->peer(), core_.open(p), most_open_, held ? &link.blocked->access() : nullptr});
  }
  return notes;
}

}  // namespace strata
