#pragma once

#include "models/power/constants.h"
#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The table with what modules of the netlist declare of themselves (models/common/own_figures_if.h), as rows
/// `module.NAME.COUNTER`, `.static` and `.area`; rows that the table has go before them. Throws ConfigError
/// for a row without unit or source, and for one of a counter that the module does not have.
power::Constants with_own_figures(const ResolvedNetlist& netlist, const power::Constants& table);

}  // namespace strata::platforms
