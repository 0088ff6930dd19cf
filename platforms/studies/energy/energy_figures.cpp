#include "platforms/studies/energy/energy_figures.h"

#include <filesystem>

#include "platforms/studies/energy/energy_report.h"
#include "platforms/studies/energy/machine_figures.h"

namespace strata::platforms {

std::vector<std::string> energy_figure_names() {
  std::vector<std::string> names = {"energy.noc",   "energy.caches",  "energy.dram",  "energy.sms",
                                    "energy.total", "energy.seconds", "energy.delay", "dynamic.noc"};
  names.insert(names.end(), machine_figure_names().begin(), machine_figure_names().end());
  return names;
}

std::map<std::string, double> energy_figures(const std::string& directory,
                                             const power::Constants& constants) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(directory + "/config.yaml", ignored)) return {};
  std::map<std::string, power::Interval> machine;
  const EnergyReport report = energy_of_results(directory, constants, {}, &machine);
  std::map<std::string, double> figures;
  for (const auto& [name, value] : machine) figures[name] = value.nominal;
  for (const EnergyGroupRow& row : energy_groups)
    if (row.value != EnergyGroup::other)
      figures["energy." + std::string(row.name)] = report.of(row.value).nominal;
  for (const PartEnergy& part : report.parts)
    if (part.group == EnergyGroup::noc) figures["dynamic.noc"] += part.dynamic.nominal + part.clock.nominal;
  figures["energy.total"] = report.total().nominal;
  figures["energy.seconds"] = report.seconds;
  figures["energy.delay"] = report.total().nominal * report.seconds;
  return figures;
}

}  // namespace strata::platforms
