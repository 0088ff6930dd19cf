#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platforms/energy/machine_model.h"

namespace strata::platforms {

/// Counters of one instance, by name.
using Counters = std::map<std::string, std::uint64_t>;

struct CountedInstance {
  std::string name, module;
  Counters counters;
};

/// Joules of one part of one instance.
struct PartEnergy {
  std::string instance, module, part;
  EnergyGroup group = EnergyGroup::other;
  power::Interval dynamic, leakage, clock;
  power::Interval total() const { return dynamic + leakage + clock; }
};

/// Where the energy of a run went.
struct EnergyReport {
  std::string title;
  double seconds = 0;
  double ipc = 0;
  double thread_instructions = 0;
  double bytes = 0;  ///< that the SMs asked for
  std::vector<PartEnergy> parts;
  std::vector<std::string> uncounted, notes;

  power::Interval total() const;
  power::Interval of(EnergyGroup group) const;
};

/// What the counters of a run cost on its machine. `cycles`: of the clock "core".
EnergyReport energy_of(const MachineModel& machine, const std::vector<CountedInstance>& instances,
                       double cycles, double core_hertz);

/// The same of a results directory; `figures`: those of its machine as well. Throws ConfigError.
EnergyReport energy_of_results(const std::string& directory, const power::Constants& constants,
                               const power::Technology& technology,
                               std::map<std::string, power::Interval>* figures = nullptr);

/// Groups with J, W, share, and interval; what a thread instruction and a byte cost; what is not counted.
std::string energy_text(const EnergyReport& report);
/// Groups, delay and energy x delay of results side by side, with the change relative to the first.
std::string energy_comparison(const std::vector<EnergyReport>& reports);
/// A line each for NoC, caches, DRAM and SMs.
std::string energy_summary(const EnergyReport& report);
std::string energy_json(const std::vector<EnergyReport>& reports);
/// `result,instance,module,part,group,kind,joule_low,joule,joule_high`
std::string energy_csv(const std::vector<EnergyReport>& reports);

}  // namespace strata::platforms
