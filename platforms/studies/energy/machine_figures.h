#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/studies/energy/machine_model.h"

namespace strata::platforms {

/// Figures of a machine, independent of the workload: `area.noc`, `area.caches`, `area.l1s`, `area.queues` in
/// mm2; `static.noc`, `static.caches` in W; `clock.noc`, the clock that the slowest router reaches, in MHz;
/// and for one L1 everything except data and MSHRs: `tags.storage` in KiB, `tags.area` in mm2, `tags.leakage`
/// in mW, `tags.energy` in nJ per row read.
const std::vector<std::string>& machine_figure_names();

std::map<std::string, power::Interval> machine_figures(const ResolvedNetlist& netlist,
                                                       const MachineModel& machine);

}  // namespace strata::platforms
