#include "platforms/netlist/registry.h"

namespace strata {
// Each block folder defines its own row.
const ModuleKind& cta_dispatcher_kind();
const ModuleKind& sm_cluster_kind();
const ModuleKind& l1_private_kind();
const ModuleKind& router_stage_kind();
const ModuleKind& llc_slice_kind();
const ModuleKind& llc_control_kind();
const ModuleKind& memory_controller_kind();
const ModuleKind& dram_channel_kind();
}  // namespace strata

namespace strata::platforms {

const ModuleTable& built_in_modules() {
  static const ModuleTable table = {
#ifdef STRATA_HAS_CTA_DISPATCHER
      &cta_dispatcher_kind(),
#endif
#ifdef STRATA_HAS_SM_CLUSTER
      &sm_cluster_kind(),
#endif
#ifdef STRATA_HAS_L1_PRIVATE
      &l1_private_kind(),
#endif
#ifdef STRATA_HAS_ROUTER_STAGE
      &router_stage_kind(),
#endif
#ifdef STRATA_HAS_LLC_SLICE
      &llc_slice_kind(),
#endif
#ifdef STRATA_HAS_LLC_CONTROL
      &llc_control_kind(),
#endif
#ifdef STRATA_HAS_MEMORY_CONTROLLER
      &memory_controller_kind(),
#endif
#ifdef STRATA_HAS_DRAM_CHANNEL
      &dram_channel_kind(),
#endif
  };
  return table;
}

const ModuleKind* find_module(const ModuleTable& modules, std::string_view name) {
  for (const ModuleKind* row : modules)
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace strata::platforms
