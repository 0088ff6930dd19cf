#pragma once

#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/noc/noc_options.h"

namespace strata::platforms {

/// Sources `src`, sinks `snk` (noc_ends.h) and between them the routers of the topology: `net0`, `net1`, ...,
/// a name for each of their levels.
Netlist noc_netlist(const NocOptions& options);

}  // namespace strata::platforms
