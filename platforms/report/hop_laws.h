#pragma once

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Requests that left one side of a hop arrived at the other, and the replies came back. Sockets that are
/// bound to each other in any number form a hop; it is checked when the modules on both sides declare
/// counters of what crosses it (PortSpec::hop). Only at the end of a complete run: nothing may be on its way.
Faults check_hops(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables);

/// Sockets that have seen more requests than replies, one line each, in the order of the netlist: after a
/// hang the requests lie, or were lost, behind the last of them.
std::vector<std::string> unanswered(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
