#include <algorithm>
#include <filesystem>
#include <sstream>

#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {
namespace {

std::string value_text(const ParamRow& row) {
  return row.quoted ? yaml_quoted(row.value) : row.value;
}

void write_group(std::ostringstream& out, const ResolvedGroup& group) {
  const std::vector<ParamRow> base = list_params(*group.base.params);
  out << "  " << group.name << ":\n    module: " << group.kind->name << "\n    count: " << group.count()
      << "\n    clock: " << group.clock << "\n    timing: " << group.base.timing() << "\n";
  if (group.base.check_model) out << "    check: model\n";
  if (!group.place.empty()) out << "    ledger_place: " << group.place << "\n";
  if (group.link_mm > 0) out << "    link_mm: " << group.link_mm << "\n";
  CacheArrays arrays = group.arrays;
  if (arrays.bits != 0 || arrays.ports != 0)
    for (const ParamRow& row : list_params(arrays))
      out << "    " << row.name << ": " << value_text(row) << "\n";
  for (const ParamRow& row : base) out << "    " << row.name << ": " << value_text(row) << "\n";
  for (int i = 0; i < group.count(); ++i) {
    const ResolvedMember& member = group.members[static_cast<std::size_t>(i)];
    if (member.params == group.base.params) continue;
    const std::vector<ParamRow> rows = list_params(*member.params);
    std::string differences;
    if (member.timing() != group.base.timing()) differences = "    timing: " + member.timing() + "\n";
    if (member.check_model != group.base.check_model)
      differences += std::string("    check: ") + (member.check_model ? "model\n" : "none\n");
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].value != base[r].value)
        differences += "    " + rows[r].name + ": " + value_text(rows[r]) + "\n";
    if (!differences.empty()) out << "  " << group.name << "[" << i << "]:\n" << differences;
  }
}

}  // namespace

std::string effective_configuration(const ResolvedNetlist& netlist) {
  std::ostringstream out;
  out << "platform: " << yaml_quoted(netlist.title) << "\n";
  if (!netlist.plugins.empty()) out << "plugins:\n";
  for (const auto& plugin : netlist.plugins)
    out << "  - " << yaml_quoted(plugin->path()) << "  # FNV-1a " << plugin->digest() << "\n";
  out << "clocks:\n";
  for (const ResolvedClock& clock : netlist.clocks)
    out << "  " << clock.name << ": " << to_text(clock.frequency) << "\n";
  out << "address_map:\n";
  AddressMapParams map = netlist.address_map;
  if (!map.matrix.empty()) map.matrix = std::filesystem::absolute(map.matrix).lexically_normal().string();
  for (const ParamRow& row : list_params(map)) out << "  " << row.name << ": " << value_text(row) << "\n";
  out << "instances:\n";
  for (const ResolvedGroup& group : netlist.groups) write_group(out, group);
  out << "bind:\n";
  for (const std::string& statement : netlist.bindings) out << "  - " << yaml_quoted(statement) << "\n";
  const RunDefaults& run = netlist.run;
  if (run.seed || run.max_instructions || run.check_protocol || run.lt || run.carries_data || !run.fast_path)
    out << "run:\n";
  if (run.seed) out << "  seed: " << *run.seed << "\n";
  if (run.max_instructions) out << "  max_instructions: " << *run.max_instructions << "\n";
  if (run.check_protocol) out << "  check_protocol: " << (*run.check_protocol ? "true" : "false") << "\n";
  if (run.lt) out << "  timing: lt\n";
  if (run.carries_data) out << "  data: carried\n";
  if (!run.fast_path) out << "  fast_path: off\n";
  return out.str();
}

}  // namespace strata::platforms
