#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"

namespace strata::platforms {

/// `energy.noc`, `energy.caches`, `energy.dram`, `energy.sms`, `energy.total` in joules; `dynamic.noc`, the
/// part of `energy.noc` that is not leakage; `energy.seconds`, `energy.delay` (joules x seconds); and the
/// figures of the machine (machine_figure_names()).
std::vector<std::string> energy_figure_names();

/// Figures of a results directory; empty if it holds no config.yaml.
std::map<std::string, double> energy_figures(const std::string& directory, const power::Constants& constants);

}  // namespace strata::platforms
