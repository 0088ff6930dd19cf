#include <iostream>

#include "platforms/cli/arguments.h"
#include "platforms/cli/energy_options.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/studies/energy/area_report.h"

namespace strata::cli {

int run_area(const std::vector<std::string>& arguments) {
  Arguments a(
      "area PLATFORM [--with FILE]... [--set KEY=VALUE]... [--json] [--constants FILE]...",
      "Shows the area of a platform's blocks in mm2, from the netlist alone: routers, repeaters of links,\n"
      "caches; lengths of links from a floor plan; and what is not counted.",
      "  strata area isca19/shared\n"
      "  strata area isca19/full_crossbar --json\n"
      "  strata area isca19/shared --set llc.size=128KiB\n");
  a.options().add_options()("with", po::value<std::vector<std::string>>(),
                            "a netlist file whose keys override the platform's; may be repeated")(
      "set", po::value<std::vector<std::string>>(), "set a key of the netlist: llc.ways=8")("json",
                                                                                            "print JSON");
  add_plugin_option(a);
  add_energy_options(a);
  if (!a.read(arguments, 1, 1)) return 0;
  const auto texts = [&a](const char* option) {
    return a.has(option) ? a.get<std::vector<std::string>>(option) : std::vector<std::string>();
  };
  const platforms::ResolvedNetlist netlist =
      platforms::Netlist::load(require_platforms(a.words().front(), texts("with")), settings(a)).resolve();
  const EnergyModel model = energy_model(a);
  const platforms::MachineModel machine(netlist, model.constants, model.technology);
  std::cout << (a.has("json") ? area_json(machine) : area_text(machine));
  return 0;
}

}  // namespace strata::cli
