#include "models/noc/router/router_stage_params.h"

#include <algorithm>

#include "models/noc/routing/routing.h"
#include "models/noc/routing/routing_table.h"

namespace strata {

namespace {

// The reason why a router with these parameters cannot use its table; empty without one.
std::string table_fault(const RouterStageParams& params) {
  if (RoutingPolicy::table().at(params.routing).name != "table")
    return params.table.empty() ? "" : "is for routing: table only";
  const auto steps = read_route_table(params.table);
  if (!steps)
    return "is '" + params.table +
           "'; write an output for each destination, as in \"0, 1, 1.2\": 1.2 is VC 2";
  for (const RouteStep& step : *steps) {
    if (step.output >= params.outputs)
      return "names output " + std::to_string(step.output) + " of " + std::to_string(params.outputs);
    if (step.vc >= params.vcs)
      return "names VC " + std::to_string(step.vc) + " of " + std::to_string(params.vcs);
  }
  return "";
}

}  // namespace

void RouterStageParams::for_each_param(ParamVisitor& visitor) {
  visitor.integer({"inputs", "ports", "Ports on the side of the SMs."}, inputs, {1, 256});
  visitor.integer({"outputs", "ports", "Ports on the side of memory."}, outputs, {1, 256});
  visitor.integer({"vcs", "", "Virtual channels per input port."}, vcs, {1, 16});
  visitor.integer({"vc_flits", "flits", "Buffer of one virtual channel."}, vc_flits, {1, 4096});
  visitor.integer({"channel_bytes", "bytes", "Width of a channel: the size of a flit."}, channel_bytes,
                  {4, 1024});
  visitor.integer({"header_bytes", "bytes", "Bytes that every packet carries beside its data."}, header_bytes,
                  {0, 64});
  visitor.integer(
      {"pipeline", "cycles", "Router stages: route, VC allocation, switch allocation, traversal."}, pipeline,
      {1, 16});
  visitor.flag(
      {"lookahead", "", "Route one hop ahead, which drops the first of two or more pipeline stages."},
      lookahead);
  visitor.integer({"speedup", "", "Internal clock of the switch as a multiple of the channel clock."},
                  speedup, {1, 4});
  visitor.integer(
      {"input_speedup", "packets",
       "Packets of an input that may be on their way to outputs at the same time, each to another "
       "one: any of one "
       "VC, packet by packet, or those of VCs of different numbers modulo this, flit by flit."},
      input_speedup, {1, 256});
  visitor.integer({"islip_iterations", "", "Iterations of the VC and switch allocators in a cycle."},
                  islip_iterations, {1, 8});
  visitor.flag({"hold_switch", "", "A packet keeps its path through the switch until its tail has passed."},
               hold_switch);
  visitor.choice(
      {"queues", "",
       "What a packet waits in at an input: VCs, FIFOs that packets take in turn, or virtual output "
       "queues that share the buffer of the VCs."},
      queues, {{Queues::fifo, "fifo"}, {Queues::voq, "voq"}});
  visitor.flag(
      {"flit_exact", "", "Simulate flit by flit also where packets suffice: one VC that holds a packet."},
      flit_exact);
  visitor.integer({"link_latency", "cycles", "Latency of the links that end at this stage."}, link_latency,
                  {0, 255});
  visitor.integer(
      {"in_credit_delay", "cycles",
       "From a flit's departure to the reuse of its slot by the sender at `in`: 1 for an endpoint, 2 for "
       "a router."},
      in_credit_delay, {1, 255});
  visitor.integer(
      {"out_credit_delay", "cycles",
       "From a flit's departure to the reuse of its slot by the replier at `out`: 1 for an endpoint, 2 for "
       "a router."},
      out_credit_delay, {1, 255});
  visitor.choice(
      {"route", "",
       "What names the destination: the LLC slice of the request, its line number, that number with higher "
       "bits "
       "folded in (hash), its partition within the channel of the address map, or, between the SMs of a "
       "cluster, the SM whose shared memory it goes to."},
      route,
      {{Route::slice, "slice"},
       {Route::line, "line"},
       {Route::partition, "partition"},
       {Route::hash, "hash"},
       {Route::sm, "sm"}});
  const std::string sentence = "How a destination gives the output: " + RoutingPolicy::table().sentences();
  RoutingPolicy::table().param(visitor, {"routing", "", sentence}, routing);
  visitor.integer(
      {"divide", "", "Output = (slice, line number, its hash or partition, or SM) / divide modulo outputs."},
      divide, {1, 65535});
  visitor.text(
      {"table", "",
       "Of routing: table: the outputs by destination, separated by commas; 1.2 is VC 2 of output 1."},
      table);
  visitor.flag({"bypass", "", "Start gated: input i is connected to output i."}, bypass);
}

Faults RouterStageParams::validate() const {
  Faults faults;
  if (bypass && inputs != outputs)
    faults.push_back(param_fault("bypass", "needs as many outputs as inputs, but they are " +
                                               std::to_string(inputs) + " and " + std::to_string(outputs)));
  if (channel_bytes >= 4 && flits(8) > 255)
    faults.push_back(param_fault("channel_bytes", "is " + std::to_string(channel_bytes) +
                                                      ": a packet would be longer than 255 flits"));
  if (const std::string fault = table_fault(*this); !fault.empty())
    faults.push_back(param_fault("table", fault));
  if (input_speedup > 1 &&
      (speedup > 1 || queues == Queues::voq || (vcs == 1 ? flit_exact : input_speedup > vcs)))
    faults.push_back(param_fault(
        "input_speedup", "is " + std::to_string(input_speedup) +
                             "; allowed: 1, or with speedup: 1 and queues: fifo up to 256 with vcs: 1 and "
                             "flit_exact: false, up to vcs with more"));
  if (queues == Queues::voq && vcs * vc_flits > 65535)
    faults.push_back(param_fault("queues", "share a buffer of " + std::to_string(vcs * vc_flits) +
                                               " flits (vcs times vc_flits); allowed: at most 65535"));
  if (vcs * std::max(inputs, outputs) > 4096)
    faults.push_back(param_fault("vcs", "times ports is " + std::to_string(vcs * std::max(inputs, outputs)) +
                                            "; allowed: at most 4096"));
  return faults;
}

CrossbarConfig RouterStageParams::shape(bool reply, bool bypassed) const {
  CrossbarConfig shape;
  shape.link = link_latency;
  shape.iterations = islip_iterations;
  shape.hold_switch = hold_switch;
  shape.voq = queues == Queues::voq;
  shape.inputs = reply ? outputs : inputs;
  shape.outputs = reply ? inputs : outputs;
  shape.reply = reply;
  shape.credit_delay = reply ? out_credit_delay : in_credit_delay;
  if (bypassed) {
    // A latch: no allocation, and just the flits that keep the link busy until its credit returns.
    shape.vcs = 1;
    shape.stages = 0;
    shape.enter = std::max(1, link_latency);
    shape.vc_flits = shape.enter + shape.credit_delay;
    return shape;
  }
  shape.vcs = vcs;
  shape.vc_flits = vc_flits;
  shape.speedup = speedup;
  shape.input_speedup = input_speedup;
  shape.stages = stages();
  shape.enter = link_latency + (stages() + speedup - 1) / speedup;
  // After a tail, the next packet of a VC passes route and VC allocation before it bids for the switch; an
  // output VC passes VC allocation before its next packet. Only one VC makes the latter visible: with more,
  // another one is free.
  shape.in_bubble = (std::max(0, stages() - 2) + speedup - 1) / speedup;
  shape.out_bubble = vcs == 1 && speedup == 1 && stages() >= 3 ? 1 : 0;
  return shape;
}

bool RouterStageParams::needs_flits(int sectors) const {
  if (input_speedup > 1 && vcs == 1) return false;
  // A VC with fewer slots than its credits take cycles to come back from the next hop limits its output.
  const int credit_loop = 2 * link_latency + 3;
  // Packet by packet, only the slots of the last packet that left are on their way back.
  const int bubble = std::max(shape(false, false).in_bubble, shape(true, false).in_bubble);
  return flit_exact || vcs > 1 || speedup > 1 || queues == Queues::voq ||
         std::max(in_credit_delay, out_credit_delay) > bubble + 2 ||
         vc_flits < std::max(credit_loop, flits(sectors));
}

int RouterStageParams::flits(int sectors) const {
  return flits_of_bytes(sectors * static_cast<int>(sector_bytes));
}

int RouterStageParams::flits_of_bytes(int bytes) const {
  return std::max(1, (header_bytes + bytes + channel_bytes - 1) / channel_bytes);
}

}  // namespace strata
