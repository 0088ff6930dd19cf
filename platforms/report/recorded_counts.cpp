#include "platforms/report/recorded_counts.h"

#include <nlohmann/json.hpp>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t whole(const Json& value) {
  return value.is_number() && value >= 0 ? value.get<std::uint64_t>() : 0;
}

InstanceStats table_of(const std::string& name, const ModuleKind& kind, const Json& instances) {
  InstanceStats table;
  table.instance = name;
  table.kind = std::string(kind.name);
  table.role = kind.role;
  const auto block = instances.find(name);
  if (block == instances.end() || !block->is_object() || !block->contains("counters")) return table;
  for (const auto& [counter, value] : block->at("counters").items())
    if (value.is_number()) table.counters.push_back({counter, "", "", whole(value)});
  return table;
}

}  // namespace

RecordedCounts::RecordedCounts(const ResolvedNetlist& netlist, const Json& stats) : netlist_(netlist) {
  for (const ResolvedGroup& group : netlist.groups) {
    first_.push_back(tables_.size());
    for (int i = 0; i < group.count(); ++i)
      tables_.push_back(
          table_of(group.name + "[" + std::to_string(i) + "]", *group.kind, stats.at("instances")));
  }
  cycles_ = whole(stats.at("summary").value("cycles", Json()));
  read_ledger(stats);
}

const InstanceStats& RecordedCounts::table(int group, int index) const {
  return tables_[first_[static_cast<std::size_t>(group)] + static_cast<std::size_t>(index)];
}

void RecordedCounts::read_ledger(const Json& stats) {
  std::vector<LedgerPlaces::Stop> way;
  for (const auto& [place, role] : stats.at("ledger_places").items())
    way.push_back({place, role.is_string() ? role.get<std::string>() : ""});
  places_.set_way(std::move(way));
  for (const auto& [group, name] : {std::pair(LedgerTotals::loads, "loads"),
                                    {LedgerTotals::stores, "stores"},
                                    {LedgerTotals::atomics, "atomics"}}) {
    if (!stats.at("ledger").contains(name)) continue;
    const Json& recorded = stats.at("ledger").at(name);
    LedgerTotals::Sums& sums = ledger_.groups[group];
    sums.count = whole(recorded.at("accesses"));
    sums.latency = whole(recorded.at("latency"));
    for (const auto& [row, cycles] : recorded.at("cycles").items()) {
      const PlaceName parts = split_place(row);
      const auto cause = cause_called(parts.cause);
      if (!cause) throw ConfigError("ledger." + std::string(name) + ": '" + row + "' names no cause");
      sums.cycles.add(places_.add(parts.place, *cause), whole(cycles));
    }
  }
}

}  // namespace strata::platforms
