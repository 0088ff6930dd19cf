// What the netlist knows of `memory_controller`.
#include "models/memory_controller/memory_controller_at.h"
#include "models/memory_controller/memory_controller_lt.h"

namespace strata {

const ModuleKind& memory_controller_kind() {
  static const ModuleKind kind =
      module_kind<MemoryControllerParams, MemoryControllerStats, MemoryControllerAt, MemoryControllerLt>(
          "memory_controller",
          "FR-FCFS memory controller of one DRAM channel, with read and write queues and write drain",
          Role::memory, "dram", [](const ParamSet& params) -> std::vector<PortSpec> {
            return {{"slice",
                     PortRole::target,
                     static_cast<const MemoryControllerParams&>(params).slices,
                     false,
                     "tlm",
                     "line requests of the LLC slices",
                     {{"accepted"}, {}}},
                    {"channel", PortRole::initiator, 1, false, "tlm", "DRAM commands to the channel"}};
          });
  return kind;
}

}  // namespace strata
