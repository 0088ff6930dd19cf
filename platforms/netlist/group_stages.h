#pragma once

#include <vector>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Only control connections: a dispatcher or a controller.
bool is_control(const ResolvedNetlist& netlist, int group);

/// Where drawings put groups. Longest way from a group that nobody sends requests to; control groups get the
/// stage of their callers.
std::vector<int> group_stages(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
