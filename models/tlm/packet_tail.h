#pragma once

#include "models/common/access.h"
#include "models/tlm/port_base.h"

namespace strata {

/// The cycle in which the last flit of a packet comes to `port` of a block with this clock, the first of
/// which is here in cycle `at`. The packet's ledger is charged: to `link` until then, for the others to
/// `serial`.
inline Cycle charge_tail(const PortBase& port, const ClockDomain& clock, Access& access, Cycle at, Place link,
                         Place serial) {
  const Cycle whole = port.tail(at, access.flits);
  access.ledger.charge_until(link, clock.ledger_at(at));
  if (whole != at) access.ledger.charge_until(serial, clock.ledger_at(whole));
  return whole;
}

}  // namespace strata
