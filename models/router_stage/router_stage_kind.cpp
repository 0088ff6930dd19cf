#include "models/router_stage/flit_router.h"
#include "models/router_stage/packet_router_at.h"
#include "models/router_stage/packet_router_lt.h"

namespace strata {
namespace {

template <class Links>
struct Routers;
template <>
struct Routers<AtLinks> {
  using Packets = PacketRouterAt;
  using Flits = FlitRouter<RouterStageAt>;
};
template <>
struct Routers<LtLinks> {
  using Packets = PacketRouterLt;
  using Flits = FlitRouter<RouterStageLt>;
};

template <class Links>
std::unique_ptr<Block> make_block(const char* name, const ParamSet& params, const BuildContext& context) {
  return make_router_stage<Links>(name, static_cast<const RouterStageParams&>(params), context);
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

template <class Links>
std::unique_ptr<RouterStageShell<Links>> make_router_stage(const char* name, const RouterStageParams& params,
                                                           const BuildContext& context) {
  if (params.needs_flits(static_cast<int>(context.map.line_bytes() / chunk_bytes)))
    return std::make_unique<typename Routers<Links>::Flits>(name, params, context);
  return std::make_unique<typename Routers<Links>::Packets>(name, params, context);
}

template std::unique_ptr<RouterStageAt> make_router_stage(const char*, const RouterStageParams&,
                                                          const BuildContext&);
template std::unique_ptr<RouterStageShell<LtLinks>> make_router_stage(const char*, const RouterStageParams&,
                                                                      const BuildContext&);

const ModuleKind& router_stage_kind() {
  static const ModuleKind kind = [] {
    auto row = module_kind<RouterStageParams, RouterStageStats, PacketRouterAt, PacketRouterLt>(
        "router_stage", "Crossbar stage with buffered input VCs: request network forward, reply network back",
        Role::router, "noc", ports);
    row.make = make_block<AtLinks>;
    row.make_lt = make_block<LtLinks>;
    return row;
  }();
  return kind;
}

}  // namespace strata
