#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Links between the instances of two names.
struct LinkGroup {
  int from = 0, to = 0;  ///< positions in ResolvedNetlist::groups
  int links = 0;
  int regions = 1;  ///< parts of the chip that these links stay inside of
  double length_mm = 0;
  bool stated = false;  ///< the netlist gives the length
};

/// Where blocks lie, as far as lengths of links go. Instances that links of two groups bind together lie in
/// one square; all such squares share the chip evenly, and a link goes half a side: SMs of a cluster and
/// their router lie near each other, and a network that binds everything spans half the chip. Where a router
/// states `link_mm`, that is the length; between two routers that do, the one that sends requests.
std::vector<LinkGroup> floor_plan(const ResolvedNetlist& netlist, double chip_side_mm);

}  // namespace strata::platforms
