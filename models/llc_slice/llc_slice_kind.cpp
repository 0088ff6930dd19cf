// What the netlist knows of `llc_slice`.
#include "models/llc_slice/llc_slice_at.h"

namespace strata {

const ModuleKind& llc_slice_kind() {
  static const ModuleKind kind = module_kind<LlcSliceParams, LlcSliceStats, LlcSliceAt, true>(
      "llc_slice",
      "Slice of the memory-side LLC: write-back or write-through, MSHRs with merging, atomics, flush",
      Role::llc, "core", [](const ParamSet&) -> std::vector<PortSpec> {
        return {tlm_sockets("noc", PortRole::target, 1, "requests from the NoC", {{"accesses"}, {"replies"}}),
                tlm_sockets("mem", PortRole::initiator, 1, "fetches and writes to the memory controller",
                            {{"fetches", "memory_writes"}, {"fills", "memory_write_acks"}}),
                {"control", PortRole::control_in, 1, true, "SliceControlIf",
                 "flushes and write policy, by llc_control"},
                {"tracker", PortRole::control_out, 1, true, "LineUsePortIf",
                 "is told what accesses do to lines: a contention_tracker"}};
      });
  return kind;
}

}  // namespace strata
