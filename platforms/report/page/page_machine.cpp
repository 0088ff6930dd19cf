#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "models/common/faults.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/headroom_machine.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/recorded_counts.h"

namespace strata::platforms {

namespace {

using Json = nlohmann::ordered_json;
constexpr double lanes = 32;   // thread instructions of a warp instruction
constexpr double sector = 32;  // bytes of a sector, the unit of `sectors`

/// Sum of a counter over the instances of a role; empty if none has it.
std::optional<double> total(const RecordedCounts& counts, Role role, std::string_view name) {
  std::optional<double> sum;
  for (const InstanceStats& table : counts.tables())
    if (const CounterRow* row = table.role == role ? table.counter(name) : nullptr)
      sum = sum.value_or(0) + static_cast<double>(row->value);
  return sum;
}

std::optional<double> scaled(std::optional<double> value, double by) {
  if (value) *value *= by;
  return value;
}

double l1_peak(const ResolvedNetlist& netlist) {
  const auto ports = peak_of(netlist, Role::l1, "port");
  return ports ? ports->counts * static_cast<double>(netlist.address_map.line) : 0;
}

void add_level(Json& levels, const char* name, double peak, std::optional<double> bytes) {
  if (bytes && *bytes > 0 && peak > 0 && std::isfinite(peak))
    levels.push_back({{"name", name}, {"peak", peak}, {"bytes", *bytes}});
}

/// Empty if there is no LLC whose roof could be drawn.
std::optional<HeadroomMachine> known_machine(const ResolvedNetlist& netlist) {
  try {
    return headroom_machine(netlist);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<double> memory_peak(const ResolvedNetlist& netlist) {
  const auto machine = known_machine(netlist);
  if (!machine || !std::isfinite(machine->params.bandwidth.memory)) return std::nullopt;
  return machine->params.bandwidth.memory;
}

Json machine_roofs(const ResolvedNetlist& netlist, const RecordedCounts& counts) {
  Json json{{"issue", nullptr}, {"levels", Json::array()}};
  const auto known = known_machine(netlist);
  if (!known) return json;
  const HeadroomMachine& machine = *known;
  if (machine.issue_slots > 0) json["issue"] = static_cast<double>(machine.issue_slots) * lanes;
  const auto instructions = total(counts, Role::sm, "thread_instructions");
  json["thread_instructions"] = instructions ? Json(*instructions) : Json(nullptr);
  auto l1 = scaled(total(counts, Role::sm, "sectors"), sector);
  auto llc = scaled(total(counts, Role::llc, "asked_sectors"), sector);
  if (!llc) llc = scaled(total(counts, Role::llc, "accesses"), static_cast<double>(netlist.address_map.line));
  const auto read = total(counts, Role::channel, "bytes_read");
  const auto written = total(counts, Role::channel, "bytes_written");
  add_level(json["levels"], "L1", l1_peak(netlist), l1);
  add_level(json["levels"], "LLC",
            machine.params.bandwidth.slice * machine.params.channels * machine.params.slices, llc);
  add_level(json["levels"], "DRAM", machine.params.bandwidth.memory,
            read && written ? std::optional<double>(*read + *written) : std::nullopt);
  return json;
}

namespace {

using Json = nlohmann::ordered_json;

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Use of each resource of a group and the share of time it was busy, as in the verdict, and of each instance
/// if that is known.
Json resources_json(const std::string& group, const std::vector<ResourceLoad>& loads) {
  Json all = Json::array();
  for (const ResourceLoad& load : loads) {
    if (load.group != group || !load.has_share()) continue;
    all.push_back({{"name", std::string(load.resource.name)},
                   {"words", load.words},
                   {"share", load.share()},
                   {"busy", load.busy()},
                   {"mean", load.shares.mean},
                   {"most", load.shares.most},
                   {"gini", load.shares.gini},
                   {"of", load.busy_of_instances()}});
  }
  return all;
}

Json group_json(const ResolvedNetlist& netlist, const ResolvedGroup& group,
                const std::vector<ResourceLoad>& loads) {
  Json json;
  json["name"] = group.name;
  json["module"] = std::string(group.kind->name);
  json["role"] = std::string(to_text(group.kind->role));
  json["clock"] = group.clock;
  for (const ResolvedClock& clock : netlist.clocks)
    if (clock.name == group.clock) json["frequency"] = to_text(clock.frequency);
  json["params"] = Json::array();
  for (const ParamRow& row : list_params(*group.base.params))
    json["params"].push_back({row.name, row.value + (row.unit == "cycles" ? " cycles" : "")});
  json["count"] = group.count();
  json["resources"] = resources_json(group.name, loads);
  return json;
}

/// All connections between two groups of sockets.
struct Link {
  ResolvedEnd from, to;  ///< the first connection
  bool tlm = true;
  int count = 0;
};
using PortOf = std::pair<int, std::string>;  // group and name of its sockets

/// Links in the order of the netlist, and the number of links of each socket group.
class Links {
 public:
  explicit Links(const ResolvedNetlist& netlist) : netlist_(netlist) {
    for (const ResolvedConnection& connection : netlist.connections) add(connection);
  }
  const std::vector<Link>& all() const { return links_; }
  PortOf port(const ResolvedEnd& end) const { return {end.group, netlist_.port(end).name}; }
  /// True if all traffic of these sockets passes this link.
  bool alone(const ResolvedEnd& end) const { return links_of_.at(port(end)) == 1; }
  const ResolvedGroup& group(const ResolvedEnd& end) const {
    return netlist_.groups[static_cast<std::size_t>(end.group)];
  }

 private:
  void add(const ResolvedConnection& c) {
    const auto [at, fresh] = found_.emplace(std::make_pair(port(c.from), port(c.to)), links_.size());
    if (fresh) {
      links_.push_back({c.from, c.to, c.tlm, 0});
      ++links_of_[port(c.from)];
      ++links_of_[port(c.to)];
    }
    ++links_[at->second].count;
  }
  const ResolvedNetlist& netlist_;
  std::vector<Link> links_;
  std::map<std::pair<PortOf, PortOf>, std::size_t> found_;
  std::map<PortOf, int> links_of_;
};

/// Sum of a counter over the instances of a group; empty if one of them lacks it.
std::optional<double> sum(const RecordedCounts& counts, const ResolvedNetlist& netlist, int group,
                          const std::vector<std::string_view>& names) {
  if (names.empty()) return std::nullopt;
  double total = 0;
  for (int i = 0; i < netlist.groups[static_cast<std::size_t>(group)].count(); ++i)
    for (std::string_view name : names) {
      const bool less = name.front() == '-';
      const CounterRow* row = counts.table(group, i).counter(name.substr(less ? 1 : 0));
      if (row == nullptr) return std::nullopt;
      total += (less ? -1.0 : 1.0) * static_cast<double>(row->value);
    }
  return total;
}

/// Adds the use of the links at these sockets, as in the verdict.
void add_busy(Json& json, const ResolvedNetlist& netlist, const Link& link,
              const std::vector<ResourceLoad>& loads) {
  for (const ResolvedEnd* end : {&link.from, &link.to})
    for (const ResourceLoad& load : loads)
      if (load.group == netlist.groups[static_cast<std::size_t>(end->group)].name && load.has_share() &&
          !load.resource.sockets.empty() && load.resource.sockets == netlist.port(*end).name)
        json["busy"] = std::max(json.value("busy", 0.0), load.busy());
}

void add_packets(Json& json, const Links& links, const Link& link, const ResolvedNetlist& netlist,
                 const RecordedCounts& counts) {
  for (const ResolvedEnd* end : {&link.from, &link.to}) {
    if (!links.alone(*end)) continue;
    const HopCounters& hop = netlist.port(*end).hop;
    for (const auto& [key, names] : {std::pair("requests", &hop.requests), {"replies", &hop.replies}})
      if (const auto count = sum(counts, netlist, end->group, *names); count && !json.contains(key))
        json[key] = *count;
  }
}

/// Bytes per cycle of a link, from the module at one of its ends; empty if it does not declare them.
std::optional<double> link_bytes(const ResolvedNetlist& netlist, const ResolvedGroup& group,
                                 const ResolvedEnd& end) {
  if (group.kind->resources == nullptr) return std::nullopt;
  for (const Resource& resource : group.kind->resources(*netlist.member(end).params))
    if (resource.bytes > 0 && resource.sockets == netlist.port(end).name) return resource.bytes;
  return std::nullopt;
}

/// Adds bytes in each direction, and the peak of one direction if a module declares the width.
void add_channels(Json& json, const Links& links, const Link& link, const ResolvedNetlist& netlist,
                  const RecordedCounts& counts) {
  for (const ResolvedEnd* end : {&link.from, &link.to}) {
    const auto bytes = link_bytes(netlist, links.group(*end), *end);
    if (!bytes) continue;
    const double peak =
        *bytes * cycles_in_core_cycle(netlist, links.group(*end).clock) * static_cast<double>(link.count);
    json["peak"] = json.contains("peak") ? std::min(json["peak"].get<double>(), peak) : peak;
    if (!links.alone(*end)) continue;
    const bool leaves = end == &link.from;
    json["request_bytes"] =
        or_null(sum(counts, netlist, end->group, {leaves ? "request_bytes_out" : "request_bytes_in"}));
    json["reply_bytes"] =
        or_null(sum(counts, netlist, end->group, {leaves ? "reply_bytes_in" : "reply_bytes_out"}));
  }
}

/// Adds peak and traffic of the one link in front of all channels.
void add_data_bus(Json& json, const Links& links, const Link& link, const ResolvedNetlist& netlist,
                  const RecordedCounts& counts) {
  const ResolvedGroup& group = links.group(link.to);
  if (group.kind->role != Role::channel) return;
  if (const auto peak = memory_peak(netlist)) json["peak"] = *peak;
  json["shared"] = true;
  json["request_bytes"] = or_null(sum(counts, netlist, link.to.group, {"bytes_written"}));
  json["reply_bytes"] = or_null(sum(counts, netlist, link.to.group, {"bytes_read"}));
}

Json link_json(const Links& links, const Link& link, const ResolvedNetlist& netlist,
               const RecordedCounts& counts, const std::vector<ResourceLoad>& loads) {
  Json json{{"from", link.from.group},          {"to", link.to.group}, {"out", netlist.port(link.from).name},
            {"in", netlist.port(link.to).name}, {"tlm", link.tlm},     {"count", link.count}};
  if (!link.tlm) return json;
  add_packets(json, links, link, netlist, counts);
  add_channels(json, links, link, netlist, counts);
  add_data_bus(json, links, link, netlist, counts);
  add_busy(json, netlist, link, loads);
  return json;
}

}  // namespace

Json page_machine(const ResolvedNetlist& netlist, const Json& stats) {
  const RecordedCounts counts(netlist, stats);
  const std::vector<ResourceLoad> loads = resource_loads(counts.counts());
  const std::vector<int> stages = group_stages(netlist);
  Json json;
  json["title"] = netlist.title;
  json["groups"] = Json::array();
  for (std::size_t g = 0; g < netlist.groups.size(); ++g) {
    Json group = group_json(netlist, netlist.groups[g], loads);
    group["stage"] = stages[g];
    group["control"] = is_control(netlist, static_cast<int>(g));
    json["groups"].push_back(std::move(group));
  }
  const Links links(netlist);
  json["links"] = Json::array();
  for (const Link& link : links.all())
    json["links"].push_back(link_json(links, link, netlist, counts, loads));
  json["roofs"] = machine_roofs(netlist, counts);
  return json;
}

}  // namespace strata::platforms
