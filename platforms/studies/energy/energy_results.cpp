#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/results_reader.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/machine_figures.h"

namespace strata::platforms {
namespace {

std::vector<CountedInstance> counted(const nlohmann::ordered_json& stats) {
  std::vector<CountedInstance> instances;
  for (const auto& [name, block] : stats["instances"].items()) {
    CountedInstance instance{name, block["module"].get<std::string>(), {}};
    if (block.contains("counters"))
      for (const auto& [counter, value] : block["counters"].items())
        if (value.is_number_unsigned()) instance.counters[counter] = value.get<std::uint64_t>();
    instances.push_back(std::move(instance));
  }
  return instances;
}

double core_hertz(const ResolvedNetlist& netlist) {
  for (const ResolvedClock& clock : netlist.clocks)
    if (clock.name == "core") return static_cast<double>(clock.frequency.count);
  return static_cast<double>(netlist.clocks.front().frequency.count);
}

}  // namespace

// The config.yaml beside the counters describes the machine that produced them.
EnergyReport energy_of_results(const std::string& directory, const power::Constants& constants,
                               const power::Technology& technology,
                               std::map<std::string, power::Interval>* figures) {
  const nlohmann::ordered_json stats = read_results(directory);
  const ResolvedNetlist netlist = Netlist::load(directory + "/config.yaml").resolve();
  const MachineModel machine(netlist, constants, technology);
  EnergyReport report =
      energy_of(machine, counted(stats), required_figure(stats, directory, "cycles"), core_hertz(netlist));
  report.title = directory;
  if (figures != nullptr) *figures = machine_figures(netlist, machine);
  return report;
}

}  // namespace strata::platforms
