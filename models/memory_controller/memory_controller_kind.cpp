// What the netlist knows of `memory_controller`.
#include "models/memory_controller/memory_controller_at.h"

namespace strata {

const ModuleKind& memory_controller_kind() {
  static const ModuleKind kind =
      module_kind<MemoryControllerParams, MemoryControllerStats, MemoryControllerAt, true>(
          "memory_controller",
          "FR-FCFS memory controller of one DRAM channel, with read and write queues and write drain",
          Role::memory, "dram", [](const ParamSet& params) -> std::vector<PortSpec> {
            return {tlm_sockets("slice", PortRole::target,
                                static_cast<const MemoryControllerParams&>(params).slices,
                                "line requests of the LLC slices", {{"accepted"}, {}}),
                    tlm_sockets("channel", PortRole::initiator, 1, "DRAM commands to the channel",
                                {{"activates", "precharges", "bursts", "refreshes"}, {}})};
          });
  return kind;
}

}  // namespace strata
