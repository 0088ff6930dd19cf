#include "models/router_stage/router_stage.h"
#include "models/router_stage/router_stage_lt.h"

namespace strata {
namespace {

std::unique_ptr<ParamSet> new_params() {
  return std::make_unique<RouterStageParams>();
}

std::unique_ptr<StatSet> new_stats() {
  return std::make_unique<RouterStageStats>();
}

std::vector<PortSpec> ports(const ParamSet& set) {
  const auto& params = static_cast<const RouterStageParams&>(set);
  return {
      {"in", PortRole::target, params.inputs, false, "tlm", "Requests arrive, replies leave."},
      {"out", PortRole::initiator, params.outputs, false, "tlm", "Requests leave, replies arrive."},
      {"organization", PortRole::control_out, 1, true, "organization",
       "Asked for the LLC slice of a request that has none yet; unbound, the address map decides."},
      {"control", PortRole::control_in, 1, true, "RouterControlIf",
       "Gates the crossbar and back, by llc_control"},
  };
}

std::unique_ptr<Block> make(const char* name, const ParamSet& set, const BuildContext& context) {
  return std::make_unique<RouterStage>(name, static_cast<const RouterStageParams&>(set), context);
}

std::unique_ptr<Block> make_lt(const char* name, const ParamSet& set, const BuildContext& context) {
  return std::make_unique<RouterStageLt>(name, static_cast<const RouterStageParams&>(set), context);
}

}  // namespace

const ModuleKind& router_stage_kind() {
  static const ModuleKind kind{
      "router_stage", "Crossbar stage with buffered input VCs: request network forward, reply network back",
      "noc",          new_params,
      ports,          make,
      new_stats,      make_lt};
  return kind;
}

}  // namespace strata
