#include "platforms/studies/energy/machine_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/own_figures_if.h"
#include "models/common/text.h"
#include "models/dram_channel/timing_set.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/timing_sets.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/energy/area_report.h"

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

namespace {

power::Constants read(const std::string& file) {
  try {
    return power::Constants::read(read_input(file), file);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{file, 0, 0}, std::string("cannot read the constants: ") + error.what()}});
  }
}

/// The unit that the model expects: for figures of a third-party module the unit of a counter, of static
/// power or of area, otherwise the unit of the row that is replaced.
std::string unit_of(const std::string& row, const power::Constant& constant, const power::Constants& table) {
  if (row.rfind("module.", 0) == 0) {
    const std::string what = row.substr(row.rfind('.') + 1);
    return what == "static" ? "mW" : what == "area" ? "mm2" : "pJ";
  }
  try {
    return table.at(row).unit;
  } catch (const ConfigError& error) {
    throw ConfigError(Faults{{constant.where, error.what()}});
  }
}

}  // namespace

void check_constant(const std::string& row, const power::Constant& constant, const power::Constants& table) {
  const std::string unit = unit_of(row, constant, table);
  if (constant.unit != unit)
    throw ConfigError(Faults{
        {constant.where, "constant " + row + " is in " + constant.unit + "; the model takes it in " + unit}});
  // Some terms of a formula are negative.
  const bool of_formula = table.has(row) && table.value(row).nominal < 0;
  if (constant.value.nominal < 0 && !of_formula)
    throw ConfigError(
        Faults{{constant.where,
                "constant " + row + " is negative; nothing gives energy or area back: the nearest is 0"}});
}

power::Constants load_constants(const std::vector<std::string>& files) {
  const std::vector<std::string> folders = data_folders("energy", "");
  if (folders.empty()) throw ConfigError("the shipped constants are missing: platforms/studies/energy");
  power::Constants table;
  for (const char* name : {"fitted.yaml", "published.yaml"}) {
    const power::Constants part = read(folders.front() + "/" + name);
    for (const auto& [row, constant] : part.rows()) table.set(row, constant);
  }
  for (const std::string& file : files) {
    const power::Constants part = read(file);
    for (const auto& [row, constant] : part.rows()) {
      check_constant(row, constant, table);
      table.set(row, constant);
    }
  }
  return table;
}

static_assert(names_all(energy_groups, EnergyGroup::other));

EnergyGroup group_of(Role role) {
  if (role == Role::router) return EnergyGroup::noc;
  if (role == Role::l1 || role == Role::llc) return EnergyGroup::caches;
  if (role == Role::channel) return EnergyGroup::dram;
  return role == Role::sm ? EnergyGroup::sms : EnergyGroup::other;
}

const std::vector<std::string>& needed_params(Role role) {
  static const std::vector<std::string> router{"inputs", "outputs", "channel_bytes", "vcs", "vc_flits"};
  static const std::vector<std::string> cache{"size", "ways"};
  static const std::vector<std::string> channel{"timing_set"};
  static const std::vector<std::string> sm{"sms"};
  static const std::vector<std::string> none;
  if (role == Role::router) return router;
  if (role == Role::l1 || role == Role::llc) return cache;
  if (role == Role::channel) return channel;
  return role == Role::sm ? sm : none;
}

power::RouterShape router_shape(const ParamValues& params, bool reply) {
  power::RouterShape shape;
  shape.inputs = params.number(reply ? "outputs" : "inputs", 1);
  shape.outputs = params.number(reply ? "inputs" : "outputs", 1);
  shape.bits = 8 * params.number("channel_bytes", 32);
  shape.vcs = params.number("vcs", 1);
  shape.flits = shape.vcs * params.number("vc_flits", 8);
  return shape;
}

power::SramShape cache_shape(const ParamValues& params, double line_bytes) {
  power::SramShape shape;
  shape.bytes = params.number("size", 65536);
  shape.ways = params.number("ways", 4);
  shape.line = params.number("line", line_bytes);
  const double sector = params.number("sector", 0);
  shape.out_bits = 8 * (sector > 0 ? sector : shape.line);
  shape.tags = power::TagAccess::sequential;
  return shape;
}

power::SmallArray queue_lines(const ParamValues& params, double line_bytes) {
  if (!params.has("request_queue") || !params.has("reply_queue") || !params.has("fill_queue")) return {};
  const double entries = params.number("request_queue", 0) + params.number("reply_queue", 0) +
                         params.number("fill_queue", 0) + params.number("miss_queue", 0);
  return {entries, 8 * params.number("line", line_bytes)};
}

std::string dram_family(const std::string& timing_set, std::string& note) {
  for (const char* family : {"hbm3", "hbm2", "hbm", "gddr6", "gddr5"}) {
    if (timing_set.rfind(family, 0) != 0) continue;
    if (std::string(family) != "hbm3") return family;
    note = "no published figures for " + timing_set + ": those of hbm2";
    return "hbm2";
  }
  note = "no figures for timing set " + timing_set + ": those of gddr5";
  return "gddr5";
}

namespace {

power::Constant constant_of(const OwnFigure& figure, const std::string& module) {
  const SourcePosition where{"the declaration of " + module, 0, 0};
  const auto refuse = [&](const std::string& what) {
    throw ConfigError(Faults{{where, "its figure of '" + figure.of + "' " + what}});
  };
  if (figure.unit.empty()) refuse("has no unit");
  if (figure.source.empty() || figure.obtained.empty()) refuse("has no `source` or no `obtained`");
  if (!(figure.low <= figure.nominal && figure.nominal <= figure.high))
    refuse("has values out of order: low, nominal, high grow away from 0");
  return {{figure.low, figure.nominal, figure.high}, figure.unit, figure.source, figure.obtained, where};
}

/// Checks that each row of the module names one of its counters, its static power or its area.
void check_names(const ModuleKind& kind, const power::Constants& table) {
  const std::string prefix = "module." + std::string(kind.name) + ".";
  std::vector<std::string> known{"static", "area"};
  if (kind.new_stats != nullptr)
    for (const CounterRow& row : read_stats("", kind, *kind.new_stats()).counters) known.push_back(row.name);
  for (auto row = table.rows().lower_bound(prefix);
       row != table.rows().end() && row->first.compare(0, prefix.size(), prefix) == 0; ++row) {
    const std::string of = row->first.substr(prefix.size());
    if (std::find(known.begin(), known.end(), of) != known.end()) continue;
    const std::string near = suggestion(of, known);
    throw ConfigError(Faults{
        {row->second.where, "constant " + row->first + ": " + std::string(kind.name) + " has no counter '" +
                                of + "'" + (near.empty() ? "; allowed: " + comma_list(known) : near)}});
  }
}

}  // namespace

power::Constants with_own_figures(const ResolvedNetlist& netlist, const power::Constants& table) {
  power::Constants all = table;
  for (const ResolvedGroup& group : netlist.groups) {
    const std::string module(group.kind->name);
    const auto* params = dynamic_cast<const OwnFiguresParams*>(group.base.params.get());
    if (params != nullptr)
      for (const OwnFigure& figure : params->own_figures()) {
        const std::string row = "module." + module + "." + figure.of;
        if (table.has(row)) continue;
        const power::Constant constant = constant_of(figure, module);
        check_constant(row, constant, table);
        all.set(row, constant);
      }
    check_names(*group.kind, all);
  }
  return all;
}

namespace {

/// Sets of connected things: union-find.
class Islands {
 public:
  explicit Islands(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }
  std::size_t find(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// True for a link of a network: between routers, or between a router and a block bound to it.
bool is_link(const ResolvedNetlist& netlist, const ResolvedConnection& connection) {
  if (!connection.tlm) return false;
  const auto role = [&netlist](const ResolvedEnd& end) {
    return netlist.groups[static_cast<std::size_t>(end.group)].kind->role;
  };
  return role(connection.from) == Role::router || role(connection.to) == Role::router;
}

int regions_of(const ResolvedNetlist& netlist, int from, int to) {
  const auto count = [&netlist](int group) {
    return static_cast<std::size_t>(netlist.groups[static_cast<std::size_t>(group)].count());
  };
  Islands islands(count(from) + count(to));
  std::vector<bool> linked(count(from) + count(to), false);
  for (const ResolvedConnection& connection : netlist.connections) {
    if (connection.from.group != from || connection.to.group != to || !connection.tlm) continue;
    const auto a = static_cast<std::size_t>(connection.from.index);
    const auto b = count(from) + static_cast<std::size_t>(connection.to.index);
    islands.join(a, b);
    linked[a] = linked[b] = true;
  }
  int regions = 0;
  for (std::size_t i = 0; i < linked.size(); ++i)
    if (linked[i] && islands.find(i) == i) ++regions;
  return std::max(1, regions);
}

}  // namespace

std::vector<LinkGroup> floor_plan(const ResolvedNetlist& netlist, double chip_side_mm) {
  std::map<std::pair<int, int>, int> links;
  for (const ResolvedConnection& connection : netlist.connections)
    if (is_link(netlist, connection)) ++links[{connection.from.group, connection.to.group}];
  std::vector<LinkGroup> groups;
  for (const auto& [ends, count] : links) {
    LinkGroup group{ends.first, ends.second, count, regions_of(netlist, ends.first, ends.second)};
    group.length_mm = chip_side_mm / 2 / std::sqrt(static_cast<double>(group.regions));
    for (const int end : {ends.second, ends.first})
      if (const double mm = netlist.groups[static_cast<std::size_t>(end)].link_mm; mm > 0)
        group.length_mm = mm, group.stated = true;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace strata::platforms
