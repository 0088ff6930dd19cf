#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platforms/studies/energy/machine_model.h"

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

/// The energy of a run, by part.
struct EnergyReport {
  std::string title;
  double seconds = 0;
  double ipc = 0;
  double thread_instructions = 0;
  double bytes = 0;  ///< bytes that the SMs requested
  std::vector<PartEnergy> parts;
  std::vector<std::string> uncounted, notes;

  power::Interval total() const;
  power::Interval of(EnergyGroup group) const;
};

/// Energy of a run on its machine, from its counters. `cycles`: of the clock "core".
EnergyReport energy_of(const MachineModel& machine, const std::vector<CountedInstance>& instances,
                       double cycles, double core_hertz);

/// Energy of a results directory; `figures`: includes those of its machine. Throws ConfigError.
EnergyReport energy_of_results(const std::string& directory, const power::Constants& constants,
                               const power::Technology& technology,
                               std::map<std::string, power::Interval>* figures = nullptr);

/// Groups with J, W, share and interval; energy per thread instruction and per byte; what is not counted.
std::string energy_text(const EnergyReport& report);
/// Groups, delay and energy x delay of several results side by side, with the change relative to the first.
std::string energy_comparison(const std::vector<EnergyReport>& reports);
/// One line each for NoC, caches, DRAM and SMs.
std::string energy_summary(const EnergyReport& report);
std::string energy_json(const std::vector<EnergyReport>& reports);
/// `result,instance,module,part,group,kind,joule_low,joule,joule_high`
std::string energy_csv(const std::vector<EnergyReport>& reports);

}  // namespace strata::platforms
