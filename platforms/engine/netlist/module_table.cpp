#include "platforms/engine/netlist/module_table.h"

#include "models/common/faults.h"
#include "platforms/engine/plugins/plugin_file.h"

namespace strata {
// Each block folder defines its own row; the L1 folder defines one for each organization.
const ModuleKind& cta_dispatcher_kind();
const ModuleKind& sm_cluster_kind();
const std::vector<ModuleKind>& l1_kinds();
const std::vector<ModuleKind>& dcl1_node_kinds();
const ModuleKind& router_stage_kind();
const ModuleKind& llc_slice_kind();
const ModuleKind& llc_control_kind();
const ModuleKind& contention_tracker_kind();
const ModuleKind& memory_controller_kind();
const ModuleKind& dram_channel_kind();
const ModuleKind& traffic_generator_kind();
}  // namespace strata

namespace strata::platforms {

const ModuleTable& built_in_modules() {
  static const ModuleTable table = [] {
    ModuleTable rows = {&cta_dispatcher_kind(), &sm_cluster_kind()};
    for (const ModuleKind& l1 : l1_kinds()) rows.push_back(&l1);
    for (const ModuleKind& node : dcl1_node_kinds()) rows.push_back(&node);
    rows.insert(rows.end(),
                {&router_stage_kind(), &llc_slice_kind(), &llc_control_kind(), &contention_tracker_kind(),
                 &memory_controller_kind(), &dram_channel_kind(), &traffic_generator_kind()});
    return rows;
  }();
  return table;
}

const ModuleTable& known_modules() {
  static const ModuleTable table = [] {
    const std::string fault = program_rows().modules().empty() ? "" : objection_to(program_rows());
    if (!fault.empty()) throw ConfigError("this program " + fault);
    ModuleTable rows = built_in_modules();
    for (const ModuleKind& kind : program_rows().modules()) {
      if (find_module(rows, kind.name) != nullptr)
        throw ConfigError("this program brings a module '" + std::string(kind.name) +
                          "', which is the name of a shipped one; give it another name");
      rows.push_back(&kind);
    }
    return rows;
  }();
  return table;
}

const ModuleKind* find_module(const ModuleTable& modules, std::string_view name) {
  for (const ModuleKind* row : modules)
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace strata::platforms
