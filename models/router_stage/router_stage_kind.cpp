#include "models/router_stage/router_stage.h"
#include "models/router_stage/router_stage_lt.h"

namespace strata {

const ModuleKind& router_stage_kind() {
  static const ModuleKind kind = module_kind<RouterStageParams, RouterStageStats, RouterStage, RouterStageLt>(
      "router_stage", "Crossbar stage with buffered input VCs: request network forward, reply network back",
      Role::router, "noc", [](const ParamSet& set) -> std::vector<PortSpec> {
        const auto& params = static_cast<const RouterStageParams&>(set);
        return {{"in",
                 PortRole::target,
                 params.inputs,
                 false,
                 "tlm",
                 "Requests arrive, replies leave.",
                 {{"requests_in"}, {"replies_out"}}},
                {"out",
                 PortRole::initiator,
                 params.outputs,
                 false,
                 "tlm",
                 "Requests leave, replies arrive.",
                 {{"requests_out"}, {"replies_in"}}},
                {"organization", PortRole::control_out, 1, true, "organization",
                 "Asked for the LLC slice of a request that has none yet; unbound, the address map decides."},
                {"control", PortRole::control_in, 1, true, "RouterControlIf",
                 "Gates the crossbar and back, by llc_control"}};
      });
  return kind;
}

}  // namespace strata
