#include "models/noc/router/router_stage_stats.h"

namespace strata {
namespace {

void visit_requests(StatVisitor& visitor, const RouterStageStats::Network& network) {
  const CrossbarCounters& c = network.counters;
  visitor.counter({"requests_in", "packets", "Requests that arrived."}, c.packets_in);
  visitor.counter({"requests_out", "packets", "Requests that left."}, c.packets_out);
  visitor.counter({"request_flits_in", "flits", "Flits of the requests that arrived."}, c.flits_in);
  visitor.counter({"request_flits_out", "flits", "Flits of the requests that left."}, c.flits_out);
  visitor.counter({"request_bytes_in", "bytes", "Channel bytes of the requests that arrived."},
                  network.bytes_in);
  visitor.counter({"request_bytes_out", "bytes", "Channel bytes of the requests that left."},
                  network.bytes_out);
  visitor.counter({"requests_held", "packets", "Requests that found too little room and held their sender."},
                  c.held);
  visitor.counter({"requests_blocked", "packets", "Requests that the next hop had no room for."}, c.blocked);
  visitor.counter(
      {"request_blocked_cycles", "cycles", "Cycles that outputs waited for the next hop, summed."},
      c.blocked_cycles);
  visitor.counter({"request_conflicts", "packets", "Grants while others bid for the same output."},
                  c.conflicts);
  visitor.counter({"request_busy_cycles", "cycles", "Cycles in which outputs moved a flit, summed."},
                  network.busy_cycles);
  visitor.counter({"request_busy_cycles_max", "cycles", "Cycles in which the busiest output moved a flit."},
                  network.busy_cycles_max);
  visitor.histogram({"request_occupancy", "flits", "Flits in the VC that a request enters."}, c.occupancy);
}

void visit_replies(StatVisitor& visitor, const RouterStageStats::Network& network) {
  const CrossbarCounters& c = network.counters;
  visitor.counter({"replies_in", "packets", "Replies that arrived."}, c.packets_in);
  visitor.counter({"replies_out", "packets", "Replies that left."}, c.packets_out);
  visitor.counter({"reply_flits_in", "flits", "Flits of the replies that arrived."}, c.flits_in);
  visitor.counter({"reply_flits_out", "flits", "Flits of the replies that left."}, c.flits_out);
  visitor.counter({"reply_bytes_in", "bytes", "Channel bytes of the replies that arrived."},
                  network.bytes_in);
  visitor.counter({"reply_bytes_out", "bytes", "Channel bytes of the replies that left."}, network.bytes_out);
  visitor.counter({"replies_held", "packets", "Replies that found too little room and held their sender."},
                  c.held);
  visitor.counter({"replies_blocked", "packets", "Replies that the next hop had no room for."}, c.blocked);
  visitor.counter(
      {"reply_blocked_cycles", "cycles", "Cycles that reply outputs waited for the next hop, summed."},
      c.blocked_cycles);
  visitor.counter({"reply_conflicts", "packets", "Grants while others bid for the same reply output."},
                  c.conflicts);
  visitor.counter({"reply_busy_cycles", "cycles", "Cycles in which reply outputs moved a flit, summed."},
                  network.busy_cycles);
  visitor.counter(
      {"reply_busy_cycles_max", "cycles", "Cycles in which the busiest reply output moved a flit."},
      network.busy_cycles_max);
  visitor.histogram({"reply_occupancy", "flits", "Flits in the VC that a reply enters."}, c.occupancy);
}

}  // namespace

void RouterStageStats::for_each_stat(StatVisitor& visitor) const {
  visit_requests(visitor, request);
  visit_replies(visitor, reply);
  visitor.counter({"completed_early", "packets", "Requests whose next hop answered them at once."},
                  completed_early);
  visitor.counter({"cycles", "cycles", "Cycles over which all this was counted."}, cycles);
  visitor.counter({"gated_cycles", "cycles", "Cycles in which the crossbar was bypassed and power-gated."},
                  gated_cycles);
  visitor.counter({"request_gated_flits", "flits", "Flits of requests that left through the bypass."},
                  request.gated_flits);
  visitor.counter({"reply_gated_flits", "flits", "Flits of replies that left through the bypass."},
                  reply.gated_flits);
  visitor.ratio({"request_utilization", "", "Share of cycles in which the mean request output moves a flit."},
                request.busy_cycles, request.port_cycles);
  visitor.ratio(
      {"request_utilization_max", "", "Share of cycles in which the busiest request output moves a flit."},
      request.busy_cycles_max, cycles);
  visitor.ratio({"reply_utilization", "", "Share of cycles in which the mean reply output moves a flit."},
                reply.busy_cycles, reply.port_cycles);
  visitor.ratio(
      {"reply_utilization_max", "", "Share of cycles in which the busiest reply output moves a flit."},
      reply.busy_cycles_max, cycles);
  visitor.law("requests_in = requests_out");
  visitor.law("replies_in = replies_out");
  visitor.law("requests_in = replies_out");
  visitor.law("request_flits_in = request_flits_out");
  visitor.law("reply_flits_in = reply_flits_out");
  visitor.law("request_bytes_in = request_bytes_out");
  visitor.law("reply_bytes_in = reply_bytes_out");
  visitor.law("request_flits_out = request_busy_cycles");
  visitor.law("reply_flits_out = reply_busy_cycles");
  visitor.law("requests_out >= requests_blocked");
  visitor.law("cycles >= gated_cycles");
  visitor.law("request_flits_out >= request_gated_flits");
  visitor.law("reply_flits_out >= reply_gated_flits");
}

}  // namespace strata
