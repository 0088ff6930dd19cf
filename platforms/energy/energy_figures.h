#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/constants.h"

namespace strata::platforms {

/// `energy.noc`, `energy.caches`, `energy.dram`, `energy.sms`, `energy.total` in joules, of which
/// `dynamic.noc` does not leak, `energy.seconds`, `energy.delay` (joules x seconds), and what the machine is
/// (machine_figure_names()).
std::vector<std::string> energy_figure_names();

/// Of a results directory; empty when it holds no config.yaml.
std::map<std::string, double> energy_figures(const std::string& directory, const power::Constants& constants);

}  // namespace strata::platforms
