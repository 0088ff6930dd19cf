#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "platforms/studies/energy/machine_model.h"

namespace strata::platforms {

/// Figures of a machine, independent of the workload: `area.noc`, `area.caches`, `area.l1s`, `area.queues` in
/// mm2; `static.noc`, `static.caches` in W; `clock.noc`, the clock that the slowest router reaches, in MHz;
/// and for one L1 everything except data and MSHRs: `tags.storage` in KiB, `tags.area` in mm2, `tags.leakage`
/// in mW, `tags.energy` in nJ per row read.
const std::vector<std::string>& machine_figure_names();

std::map<std::string, power::Interval> machine_figures(const ResolvedNetlist& netlist,
                                                       const MachineModel& machine);

/// `energy.noc`, `energy.caches`, `energy.dram`, `energy.sms`, `energy.total` in joules; `dynamic.noc`, the
/// part of `energy.noc` that is not leakage; `energy.seconds`, `energy.delay` (joules x seconds); and the
/// figures of the machine (machine_figure_names()).
std::vector<std::string> energy_figure_names();

/// Figures of a results directory; empty if it holds no config.yaml.
std::map<std::string, double> energy_figures(const std::string& directory, const power::Constants& constants);

}  // namespace strata::platforms
