// What the netlist knows of `llc_slice`.
#include "models/llc_slice/llc_slice_lt.h"
#include "models/llc_slice/llc_slice_shell.h"

namespace strata {

const ModuleKind& llc_slice_kind() {
  static const ModuleKind kind{
      "llc_slice",
      "Slice of the memory-side LLC: LRU, write-back or write-through, MSHRs with merging, atomics, flush",
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<LlcSliceParams>(); },
      [](const ParamSet&) -> std::vector<PortSpec> {
        return {{"noc", PortRole::target, 1, false, "tlm", "requests from the NoC"},
                {"mem", PortRole::initiator, 1, false, "tlm", "fetches and writes to the memory controller"},
                {"control", PortRole::control_in, 1, true, "SliceControlIf",
                 "flushes and write policy, by llc_control"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<LlcSliceAt>(name, static_cast<const LlcSliceParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<LlcSliceStats>(); },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<LlcSliceLt>(name, static_cast<const LlcSliceParams&>(params), context);
      }};
  return kind;
}

}  // namespace strata
