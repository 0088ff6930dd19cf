#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/common/units.h"
#include "models/power/constants.h"
#include "platforms/engine/pool/run_identity.h"
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

/// A kernel in a run's results, with the decisions of the LLC while it ran.
struct KernelHistory {
  std::size_t kernel = 0;
  std::string name;
  Cycle began = 0, ended = 0;
  bool complete = true;       ///< false: the run's limit cut it off
  Cycle decided = 0;          ///< cycles from the kernel's first decision to its end; 0 = no decision
  Cycle decided_private = 0;  ///< of these: under a decision for private
  Cycle cycles() const { return ended - began; }
};

/// Times of the kernels of a run; empty if the results do not have them (kernels.csv).
std::vector<KernelHistory> read_history(const std::string& directory);

/// Decisions of a run by the number of copies chosen (llc_choices.csv).
std::map<std::uint64_t, std::size_t> read_degrees(const std::string& directory);

/// A comma-separated file of results, line by line, by the column names in its first line. A missing file has
/// no lines.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path);
  const std::vector<std::string>& names() const { return names_; }
  bool next();
  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;  ///< 0 if missing

 private:
  std::ifstream file_;
  std::vector<std::string> names_, cells_;
};

}  // namespace strata::platforms
