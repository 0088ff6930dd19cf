#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::platforms {

/// `energy.noc`, `energy.caches`, `energy.dram`, `energy.sms`, `energy.total` in joules, `energy.seconds`,
/// `energy.delay` (joules x seconds), and `area.noc`, `area.caches` in mm2.
std::vector<std::string> energy_figure_names();

/// Of a results directory, with the constants that Strata comes with; empty when it holds no config.yaml.
std::map<std::string, double> energy_figures(const std::string& directory);

}  // namespace strata::platforms
