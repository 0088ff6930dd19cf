#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Links between the instances of two names.
struct LinkGroup {
  int from = 0, to = 0;  ///< positions in ResolvedNetlist::groups
  int links = 0;
  int regions = 1;  ///< regions of the chip that contain these links
  double length_mm = 0;
  bool stated = false;  ///< the netlist gives the length
};

/// Positions of blocks, as far as link lengths need them. Instances bound by links between two groups share a
/// square; all such squares divide the chip evenly, and a link is half a side long. So the SMs of a cluster
/// are near their router, and a network that binds everything spans half the chip. If a router states
/// `link_mm`, that is the length; between two such routers, the router that sends requests decides.
std::vector<LinkGroup> floor_plan(const ResolvedNetlist& netlist, double chip_side_mm);

}  // namespace strata::platforms
