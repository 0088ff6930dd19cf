#include "platforms/netlist/registry.h"

namespace strata::platforms {

const ModuleTable& built_in_modules() {
  static const ModuleTable table = {};
  return table;
}

const ModuleKind* find_module(const ModuleTable& modules, std::string_view name) {
  for (const ModuleKind* row : modules)
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace strata::platforms
