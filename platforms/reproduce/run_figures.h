#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "platforms/pool/run_state.h"
#include "platforms/reproduce/paper.h"

namespace strata::platforms {

/// What the reproduction reads of a run's results.
struct RunFigures {
  std::map<std::string, double>
      values;                        ///< of the summary, KIND.COUNTER over all instances, energy_figures()
  std::string trace;                 ///< what was simulated
  std::vector<double> applications;  ///< IPC of each of several
  double loads = 0;                  ///< accesses in the ledger of loads
  double latency = 0;                ///< their cycles
  std::map<std::string, double> places;      ///< cycles of loads by row of the ledger
  std::map<std::string, std::string> roles;  ///< of the blocks at each place
};

/// Throws ConfigError when the directory holds no results of a finished run, or false ones.
/// `constants`: of energies and areas; those that Strata comes with unless others are given.
RunFigures read_figures(const std::string& directory);
RunFigures read_figures(const std::string& directory, const power::Constants& constants);

/// Empty when a name is not among the values, or the divisor is 0; `missing` then says why.
std::optional<double> value_of(const Metric& metric, const RunFigures& figures, std::string& missing);

}  // namespace strata::platforms
