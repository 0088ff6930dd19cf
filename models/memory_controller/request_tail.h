#pragma once

#include "models/common/access.h"
#include "models/tlm/clock_domain.h"
#include "models/tlm/port_base.h"

namespace strata {

/// The head flit of a request is here in cycle `at`: the cycle in which all of it is, charged as such. A
/// router in front of a controller may be narrower than a line.
inline Cycle tail_of_request(Access& access, const PortBase& port, const ClockDomain& clock, Cycle at) {
  if (access.flits == 1) return at;
  const Cycle whole = port.tail(at, access.flits);
  access.ledger.charge_until(Cause::request_link, clock.ledger_at(at));
  access.ledger.charge_until(Cause::request_serial, clock.ledger_at(whole));
  return whole;
}

}  // namespace strata
