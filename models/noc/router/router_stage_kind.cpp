#include <algorithm>

#include "models/noc/router/flit_router.h"
#include "models/noc/router/packet_router.h"

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

/// The links that end or begin at one side of a stage. After a packet's tail its input, and with one VC its
/// output, is idle for some cycles: the weight of a packet.
Resource links(std::string_view name, std::string_view sentence, Resource::Use flits, Resource::Use packets,
               int ports, std::string_view busiest, std::string_view sockets, const RouterStageParams& p) {
  Resource links{name, sentence, Resource::Kind::rate, static_cast<double>(ports), {flits}};
  if (p.vcs == 1 && p.queues == RouterStageParams::Queues::fifo) links.uses.push_back(packets);
  links.reliefs = {{"channel_bytes", "*2"}};
  links.more = "wider %";
  links.bytes = p.channel_bytes;
  links.parts = ports;
  links.busiest = busiest;
  links.sockets = sockets;
  links.replies = flits.counter.substr(0, 5) == "reply";
  return links;
}

Resources resources(const ParamSet& set) {
  const auto& p = static_cast<const RouterStageParams&>(set);
  const bool fifo = p.vcs == 1 && p.queues == RouterStageParams::Queues::fifo;
  const auto gap = [&](bool reply, bool in) {
    const CrossbarConfig shape = p.shape(reply, p.bypass);
    if (!fifo || (in && p.input_speedup > 1)) return 0.0;  // other ports read while one waits
    return static_cast<double>(in ? shape.in_bubble : shape.out_bubble);
  };
  Resource queues{
      "queues", "router queues (arbitration and head-of-line blocking)", Resource::Kind::rate, 0, {}};
  queues.more = "virtual output queues in place of %";
  queues.reliefs = {{"queues", "voq"}, {"vc_flits", "*8"}, {"islip_iterations", "4"}};
  Resources all = {links("requests_in", "request links into routers", {"request_flits_in"},
                         {"requests_in", gap(false, true)}, p.inputs, {}, "in", p),
                   links("requests_out", "request links out of routers", {"request_flits_out"},
                         {"requests_out", gap(false, false)}, p.outputs, "request_busy_cycles_max", {}, p),
                   links("replies_in", "reply links into routers", {"reply_flits_in"},
                         {"replies_in", gap(true, true)}, p.outputs, {}, "out", p),
                   links("replies_out", "reply links out of routers", {"reply_flits_out"},
                         {"replies_out", gap(true, false)}, p.inputs, "reply_busy_cycles_max", {}, p),
                   queues};
  // Packets wait in front of them, where they come from and in the router's queues.
  all[0].waits = {Cause::miss_queue, Cause::request_serial, Cause::request_queue};
  all[2].waits = {Cause::reply_port, Cause::reply_serial, Cause::reply_queue};
  return all;
}

}  // namespace

std::unique_ptr<RouterStage> make_router_stage(const char* name, const RouterStageParams& params,
                                               const BuildContext& context) {
  if (params.needs_flits(static_cast<int>(context.map.line_bytes() / sector_bytes)))
    return std::make_unique<FlitRouter>(name, params, context);
  if (params.input_speedup > 1) return std::make_unique<SpedUpPacketRouter>(name, params, context);
  if (std::max(params.inputs, params.outputs) > 64)
    return std::make_unique<WidePacketRouter>(name, params, context);
  return std::make_unique<NarrowPacketRouter>(name, params, context);
}

const ModuleKind& router_stage_kind() {
  static const ModuleKind kind = [] {
    auto row = module_kind<RouterStageParams, RouterStageStats, NarrowPacketRouter, true>(
        "router_stage", "Crossbar stage with buffered input VCs: request network forward, reply network back",
        Role::router, "noc", ports);
    row.make = make_block;
    row.resources = resources;
    return row;
  }();
  return kind;
}

}  // namespace strata
