#include "platforms/report/page/machine_roofs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "platforms/report/headroom_machine.h"

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

}  // namespace strata::platforms
