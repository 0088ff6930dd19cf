#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// Effects of a run's seed on a machine, besides traffic and generated traces.
struct SeedUse {
  /// CTA starts: launch_jitter of the dispatcher is not 0.
  bool starts = false;
  /// Choices of blocks: random replacement, sampled sets. Plug-ins count, because their choices are unknown.
  bool choices = false;
  /// Settings that start CTAs up to 2 cycles apart, "cta.launch_jitter=2", which changes the contention
  /// between requests; as in `strata reproduce`. Empty if starts move already or nothing is launched.
  std::vector<std::string> sets;
};
SeedUse seed_use(const ResolvedNetlist& netlist, bool plugins);

/// "launch_jitter", appended to the name of the dispatcher and a dot.
constexpr const char launch_jitter[] = "launch_jitter";

}  // namespace strata::platforms
