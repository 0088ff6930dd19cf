#pragma once

#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// True if the group has only control connections: a dispatcher or a controller.
bool is_control(const ResolvedNetlist& netlist, int group);

/// Stage of each group in drawings: its longest path from a group that receives no requests. Control groups
/// get the stage of their callers.
std::vector<int> group_stages(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
