#include "platforms/studies/energy/machine_figures.h"

#include <filesystem>

#include "models/power/sram_power.h"
#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/energy_report.h"

namespace strata::platforms {
namespace {

using power::Interval;

constexpr double watts = 1e-3;  // per milliwatt

/// Leakage of all instances of a name, in mW.
Interval leakage_of(const MachineModel::Group& group) {
  Interval each;
  if (group.router) each = group.router->request.leakage() + group.router->reply.leakage();
  const auto add_wires = [&](const std::optional<MachineModel::Wires>& side, const char* ports) {
    if (side && side->charged)
      each += side->link.leakage * (2 * group.params.number(ports, 0));  // both directions
  };
  add_wires(group.in, "inputs");
  add_wires(group.out, "outputs");
  if (group.sram) each += group.sram->leakage;
  return each * static_cast<double>(group.count);
}

/// Tags, states and ranks: storage of an L1 besides its lines and MSHRs. The entries of a set share one row.
power::SmallArray tags_of(const ResolvedGroup& group) {
  const auto bits = static_cast<double>(tag_bits(group.kind->storage(*group.base.params)));
  ParamValues params(*group.base.params);
  const double lines = params.number("size", 0) / params.number("line", 128);
  const double sets = lines / params.number("ways", 1);
  return {sets, sets == 0 ? 0 : bits / sets};
}

/// The highest clock of the slowest router of all networks, in MHz.
Interval clock_of(const MachineModel& machine) {
  const power::Fitted<power::RouterShape> cycle(power::router_cycle(), machine.constants);
  Interval slowest;
  for (const MachineModel::Group& group : machine.groups)
    for (const bool reply : {false, true}) {
      if (!group.router) continue;
      const Interval ns = cycle(router_shape(group.params, reply));
      if (ns.nominal > slowest.nominal) slowest = ns;
    }
  if (slowest.nominal == 0) return {};
  return {1000 / slowest.high, 1000 / slowest.nominal, 1000 / slowest.low};
}

void add_tags(const ResolvedNetlist& netlist, const MachineModel& machine,
              std::map<std::string, Interval>& figures) {
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::l1 || group.kind->storage == nullptr) continue;
    const power::SmallArray tags = tags_of(group);
    const power::SmallArrayPower power = power::small_array_power(tags, machine.constants);
    figures["tags.storage"] = power::exactly(tags.cells() / 8192);
    figures["tags.area"] = power.area * machine.area_scale;
    figures["tags.leakage"] = power.leakage * machine.leakage_scale;
    figures["tags.energy"] = power.read * machine.energy_scale;
    return;  // only the first kind of L1
  }
}

}  // namespace

const std::vector<std::string>& machine_figure_names() {
  static const std::vector<std::string> names{"area.noc",   "area.caches",   "area.l1s",   "area.queues",
                                              "static.noc", "static.caches", "clock.noc",  "tags.storage",
                                              "tags.area",  "tags.leakage",  "tags.energy"};
  return names;
}

std::map<std::string, Interval> machine_figures(const ResolvedNetlist& netlist, const MachineModel& machine) {
  std::map<std::string, Interval> figures;
  for (const char* name :
       {"area.noc", "area.caches", "area.l1s", "area.queues", "static.noc", "static.caches"})
    figures[name] = {};
  for (const PartArea& part : area_of(machine)) {
    if (part.group == EnergyGroup::noc) figures["area.noc"] += part.area;
    if (part.group != EnergyGroup::caches) continue;
    figures["area.caches"] += part.area;
    if (part.part == "queues")
      figures["area.queues"] += part.area;
    else if (const MachineModel::Group* group = machine.group(part.name); group->role == Role::l1)
      figures["area.l1s"] += part.area;
  }
  for (const MachineModel::Group& group : machine.groups) {
    const Interval leakage = leakage_of(group) * machine.leakage_scale * watts;
    if (group_of(group.role) == EnergyGroup::noc) figures["static.noc"] += leakage;
    if (group_of(group.role) == EnergyGroup::caches) figures["static.caches"] += leakage;
  }
  figures["clock.noc"] = clock_of(machine);
  add_tags(netlist, machine, figures);
  return figures;
}

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
