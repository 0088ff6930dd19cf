#include "platforms/energy/energy_figures.h"

#include <filesystem>

#include "platforms/energy/area_report.h"
#include "platforms/energy/constants_files.h"
#include "platforms/energy/energy_report.h"

namespace strata::platforms {

std::vector<std::string> energy_figure_names() {
  return {"energy.noc",     "energy.caches", "energy.dram", "energy.sms", "energy.total",
          "energy.seconds", "energy.delay",  "area.noc",    "area.caches"};
}

std::map<std::string, double> energy_figures(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(directory + "/config.yaml", ignored)) return {};
  const power::Constants constants = load_constants();
  std::map<std::string, double> figures;
  std::vector<PartArea> areas;
  const EnergyReport report = energy_of_results(directory, constants, {}, &areas);
  for (const EnergyGroup group : {EnergyGroup::noc, EnergyGroup::caches, EnergyGroup::dram, EnergyGroup::sms})
    figures[std::string("energy.") + to_text(group)] = report.of(group).nominal;
  figures["energy.total"] = report.total().nominal;
  figures["energy.seconds"] = report.seconds;
  figures["energy.delay"] = report.total().nominal * report.seconds;
  for (const EnergyGroup group : {EnergyGroup::noc, EnergyGroup::caches}) {
    double& sum = figures[std::string("area.") + to_text(group)];
    for (const PartArea& part : areas)
      if (part.group == group) sum += part.area.nominal;
  }
  return figures;
}

}  // namespace strata::platforms
