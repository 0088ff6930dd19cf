#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/power/constants.h"
#include "platforms/engine/pool/run_state.h"
#include "platforms/studies/reproduce/paper.h"

namespace strata::platforms {

/// The figures that the reproduction reads from a run's results.
struct RunFigures {
  std::map<std::string, double>
      values;                        ///< of the summary, KIND.COUNTER over all instances, energy_figures()
  std::string trace;                 ///< the simulated trace
  std::vector<double> applications;  ///< IPC of each of several applications
  double loads = 0;                  ///< accesses in the ledger of loads
  double latency = 0;                ///< cycles of these accesses
  std::map<std::string, double> places;      ///< cycles of loads by row of the ledger
  std::map<std::string, std::string> roles;  ///< role of the blocks at each place
};

/// Throws ConfigError if the directory holds no results of a finished run, or inconsistent ones. `constants`:
/// of energies and areas; default: the shipped ones.
RunFigures read_figures(const std::string& directory);
RunFigures read_figures(const std::string& directory, const power::Constants& constants);

/// Empty if a name is not among the values, or the divisor is 0; `missing` then gives the reason.
std::optional<double> value_of(const Metric& metric, const RunFigures& figures, std::string& missing);

}  // namespace strata::platforms
