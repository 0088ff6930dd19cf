#pragma once

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Requests that left one side of a hop arrived at the other, and the replies came back. Sockets that are
/// bound to each other in any number form a hop; it is checked when the modules on both sides count what
/// crosses it. Only at the end of a complete run: nothing may be on its way.
Faults check_hops(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
