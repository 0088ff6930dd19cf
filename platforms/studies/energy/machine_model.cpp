#include "platforms/studies/energy/machine_model.h"

#include <algorithm>

#include "models/dram_channel/timing_set.h"
#include "platforms/engine/timing_sets.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/energy/added_storage.h"
#include "platforms/studies/energy/own_figures.h"

namespace strata::platforms {
namespace {

using power::OutOfRange;

Hertz clock_of(const ResolvedNetlist& netlist, const std::string& name) {
  for (const ResolvedClock& clock : netlist.clocks)
    if (clock.name == name) return clock.frequency;
  return netlist.clocks.front().frequency;
}

void note(std::vector<std::string>& notes, const std::string& who, const std::vector<OutOfRange>& found) {
  for (const OutOfRange& range : found) {
    const std::string text = who + ": " + rounded(range.value) + " " + range.what +
                             " is outside the fitted range of the formulas; the nearest inside is " +
                             rounded(range.nearest);
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }
}

/// True if the module has figures of its own: they replace all others.
bool has_own_figures(const std::string& module, const power::Constants& constants) {
  const std::string own = "module." + module + ".";
  const auto first = constants.rows().lower_bound(own);
  return first != constants.rows().end() && first->first.compare(0, own.size(), own) == 0;
}

/// Why a block has no figures; empty: it has.
std::string missing(const MachineModel::Group& group) {
  const std::vector<std::string>& needed = needed_params(group.role);
  if (needed.empty()) return group.added.empty() ? "no figures" : "no figures but the area of its storage";
  for (const std::string& name : needed)
    if (!group.params.has(name)) return "it has no parameter '" + name + "'";
  return {};
}

const TimingSet* timing_set_of(const ParamSet& params) {
  const auto* uses = dynamic_cast<const UsesTimingSet*>(&params);
  return uses == nullptr ? nullptr : &uses->timing;
}

}  // namespace

void MachineModel::add_cache(Group& group, double line_bytes, const CacheArrays& arrays) {
  power::SramShape shape = cache_shape(group.params, line_bytes);
  const bool l1 = group.role == Role::l1;
  const double whole = shape.out_bits;
  if (arrays.bits != 0)
    shape.out_bits = arrays.bits;
  else if (l1)
    shape.out_bits /= std::max(1.0, constants.value("l1.beats").nominal);
  const double beats = std::max(1.0, whole / shape.out_bits);
  shape.read_port =
      arrays.ports != 0 ? arrays.ports > 1 : l1 && constants.value("l1.read_ports").nominal >= 1;
  group.sram = power::SramModel(constants)(shape);
  if (beats > 1)
    for (power::Interval* energy : {&group.sram->read, &group.sram->write})
      *energy = group.sram->tags + (*energy - group.sram->tags) * beats;
  note(notes, group.name, group.sram->notes);
  const power::SmallArray queues = queue_lines(group.params, line_bytes);
  if (queues.entries == 0) return;
  group.queues = power::small_array_power(queues, constants);
  note(notes, group.name + ", queues", group.queues->notes);
}

void MachineModel::add_storage(Group& group, const StorageFields& fields) {
  for (const StorageField& field : fields) {
    const power::SmallArray array{static_cast<double>(field.entries), static_cast<double>(field.bits)};
    if (array.cells() <= 0) continue;
    group.added.emplace_back(field.name, power::small_array_power(array, constants));
    note(notes, group.name + ", " + field.name, group.added.back().second.notes);
  }
}

void MachineModel::add_channel(Group& group, const ParamSet& params) {
  std::string stand_in;
  const std::string family = dram_family(group.params.text("timing_set"), stand_in);
  if (!stand_in.empty()) notes.push_back(group.name + ": " + stand_in);
  const TimingSet* set = timing_set_of(params);
  const double row_bytes = set == nullptr ? 2048 : static_cast<double>(set->row_bytes.count);
  group.dram = power::dram_power(constants, family, row_bytes);
  group.dram_banks = set == nullptr ? 16 : set->banks();
}

void MachineModel::add_router(Group& group) {
  const power::RouterModel routers(constants);
  group.router =
      Router{routers(router_shape(group.params, false)), routers(router_shape(group.params, true))};
  note(notes, group.name, group.router->request.notes);
  note(notes, group.name, group.router->reply.notes);
}

void MachineModel::add_links() {
  const power::LinkModel links(constants);
  for (const LinkGroup& link : plan) {
    Group& from = groups[static_cast<std::size_t>(link.from)];
    Group& to = groups[static_cast<std::size_t>(link.to)];
    const Group& router = to.router ? to : from;
    if (!router.router) continue;
    const double cycle_ns = 1e9 / static_cast<double>(router.clock.count);
    const power::LinkPower wires =
        links(8 * router.params.number("channel_bytes", 32), link.length_mm, cycle_ns);
    note(notes, from.name + " to " + to.name, wires.notes);
    if (to.router) to.in = Wires{wires, link.length_mm, true};
    if (from.router) from.out = Wires{wires, link.length_mm, !to.router};
  }
}

MachineModel::MachineModel(const ResolvedNetlist& netlist, const power::Constants& table,
                           const power::Technology& technology)
    : constants(with_own_figures(netlist, table)),
      energy_scale(technology.energy(table)),
      leakage_scale(technology.leakage(table)),
      area_scale(technology.area(table)) {
  plan = floor_plan(netlist, table.value("chip.side").nominal);
  for (const ResolvedGroup& from : netlist.groups) {
    groups.emplace_back(ParamValues(*from.base.params));
    Group& group = groups.back();
    group.name = from.name;
    group.module = std::string(from.kind->name);
    group.role = from.kind->role;
    group.count = from.count();
    group.clock = clock_of(netlist, from.clock);
    group.own_figures = has_own_figures(group.module, constants);
    if (std::any_of(from.members.begin(), from.members.end(),
                    [&from](const ResolvedMember& member) { return member.params != from.base.params; }))
      notes.push_back(group.name + ": members with parameters of their own count as the others do");
    if (group.own_figures) continue;
    add_storage(group, added_storage(netlist, from));
    if (const std::string why = missing(group); !why.empty())
      uncounted.push_back(group.name + " (" + group.module + "): " + why);
    else if (group.role == Role::router)
      add_router(group);
    else if (group.role == Role::l1 || group.role == Role::llc)
      add_cache(group, static_cast<double>(netlist.address_map.line.count), from.arrays);
    else if (group.role == Role::channel)
      add_channel(group, *from.base.params);
  }
  add_links();
}

const MachineModel::Group* MachineModel::group(const std::string& instance) const {
  const std::string name = instance.substr(0, instance.find('['));
  for (const Group& group : groups)
    if (group.name == name) return &group;
  return nullptr;
}

}  // namespace strata::platforms
