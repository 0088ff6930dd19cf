#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// What the seed of a run moves in a machine, beside the traffic and the traces that are drawn from it.
struct SeedUse {
  /// The starts of CTAs: launch_jitter of the dispatcher is not 0.
  bool starts = false;
  /// Choices of blocks: random replacement, sampled sets. Plug-ins count: only they know.
  bool choices = false;
  /// Settings under which CTAs start up to 2 cycles apart, "cta.launch_jitter=2", which changes the requests
  /// that meet; as in `strata reproduce`. Empty where starts move already or nothing launches.
  std::vector<std::string> sets;
};
SeedUse seed_use(const ResolvedNetlist& netlist, bool plugins);

/// "launch_jitter", behind the name of the dispatcher and a dot.
constexpr const char launch_jitter[] = "launch_jitter";

}  // namespace strata::platforms
