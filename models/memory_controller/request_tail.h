#pragma once

#include <vector>

#include "models/common/access.h"
#include "models/tlm/port_base.h"

namespace strata {

/// Waits for the flits that follow the head of a request: a router in front of a controller may be narrower
/// than a line. Without a router, one flit is all there is.
class RequestTail {
 public:
  explicit RequestTail(Place queue) : queue_(queue) {}
  /// What the links cost is charged to them, known when they are bound.
  template <class Ports>
  void find_links(const Ports& ports) {
    for (const PortBase& port : ports) {
      const bool link = port.behind_network();
      links_.push_back({&port, link ? port.place_of_link(Cause::request_link) : queue_,
                        link ? port.place_of_link(Cause::request_serial) : queue_});
    }
  }
  /// The head of a request is here in cycle `at`, at port `port`: the cycle in which all of it is.
  Cycle whole(Access& access, int port, const ClockDomain& clock, Cycle at) const {
    if (access.flits == 1) return at;
    const Link& link = links_[static_cast<std::size_t>(port)];
    const Cycle whole = link.port->tail(at, access.flits);
    access.ledger.charge_until(link.head, clock.ledger_at(at));
    access.ledger.charge_until(link.tail, clock.ledger_at(whole));
    return whole;
  }

 private:
  struct Link {
    const PortBase* port;
    Place head, tail;
  };
  Place queue_;
  std::vector<Link> links_;  // by port
};

}  // namespace strata
