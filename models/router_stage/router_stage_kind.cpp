#include "models/router_stage/flit_router.h"
#include "models/router_stage/packet_router_at.h"
#include "models/router_stage/packet_router_lt.h"

namespace strata {
namespace {

std::unique_ptr<Block> make_block(const char* name, const ParamSet& params, const BuildContext& context) {
  return make_router_stage(name, static_cast<const RouterStageParams&>(params), context);
}

std::vector<PortSpec> ports(const ParamSet& set) {
  const auto& params = static_cast<const RouterStageParams&>(set);
  return {tlm_sockets("in", PortRole::target, params.inputs, "Requests arrive, replies leave.",
                      {{"requests_in"}, {"replies_out"}}),
          tlm_sockets("out", PortRole::initiator, params.outputs, "Requests leave, replies arrive.",
                      {{"requests_out"}, {"replies_in"}}),
          {"organization", PortRole::control_out, 1, true, "organization",
           "Asked for the LLC slice of a request that has none yet; unbound, the address map decides."},
          {"control", PortRole::control_in, 1, true, "RouterControlIf",
           "Gates the crossbar and back, by llc_control"}};
}

}  // namespace

std::unique_ptr<RouterStageShell> make_router_stage(const char* name, const RouterStageParams& params,
                                                    const BuildContext& context) {
  if (params.needs_flits(static_cast<int>(context.map.line_bytes() / chunk_bytes)))
    return std::make_unique<FlitRouter>(name, params, context);
  if (context.lt) return std::make_unique<PacketRouterLt>(name, params, context);
  return std::make_unique<PacketRouterAt>(name, params, context);
}

const ModuleKind& router_stage_kind() {
  static const ModuleKind kind = [] {
    auto row = module_kind<RouterStageParams, RouterStageStats, PacketRouterAt, true>(
        "router_stage", "Crossbar stage with buffered input VCs: request network forward, reply network back",
        Role::router, "noc", ports);
    row.make = make_block;
    return row;
  }();
  return kind;
}

}  // namespace strata
