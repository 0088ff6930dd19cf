#pragma once

#include "models/power/constants.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The table plus the figures that modules of the netlist declare (models/common/own_figures_if.h), as rows
/// `module.NAME.COUNTER`, `.static` and `.area`; rows of the table take precedence. Throws ConfigError for a
/// row without unit or source, and for a counter that the module does not have.
power::Constants with_own_figures(const ResolvedNetlist& netlist, const power::Constants& table);

}  // namespace strata::platforms
