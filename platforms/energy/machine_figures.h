#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/energy/machine_model.h"

namespace strata::platforms {

/// What a machine is, whatever runs on it: `area.noc`, `area.caches`, `area.l1s`, `area.queues` in mm2,
/// `static.noc`, `static.caches` in W, the clock that the slowest router reaches, `clock.noc` in MHz, and of
/// one L1 everything but data and MSHRs: `tags.storage` in KiB, `tags.area` in mm2, `tags.leakage` in mW,
/// `tags.energy` in nJ for each time that a row is read.
const std::vector<std::string>& machine_figure_names();

std::map<std::string, power::Interval> machine_figures(const ResolvedNetlist& netlist,
                                                       const MachineModel& machine);

}  // namespace strata::platforms
