#include "models/traffic/traffic_stats.h"

namespace strata {

void TrafficStats::for_each_stat(StatVisitor& v) const {
  v.counter({"offered", "accesses", "Accesses that have come up, sent or not"}, offered);
  v.counter({"backlog", "accesses", "Those that were not sent yet at the time of the report"}, backlog);
  v.counter({"sent", "accesses", "Accesses sent"}, sent);
  v.counter({"loads", "accesses", "Loads sent that are not marked read-only"}, loads);
  v.counter({"read_only_loads", "accesses", "Read-only loads sent"}, read_only_loads);
  v.counter({"stores", "accesses", "Stores sent"}, stores);
  v.counter({"answered_at_once", "accesses", "Answered with an annotated delay: hits of the L1"},
            answered_at_once);
  v.counter({"round_trips", "accesses", "Answered by a response"}, round_trips);
  v.counter({"in_flight", "accesses", "Sent and not answered at the time of the report"}, in_flight);
  v.law("offered = sent + backlog");
  v.law(checks ? "sent = loads + read_only_loads + stores + atomics"
               : "sent = loads + read_only_loads + stores");
  v.law("sent = answered_at_once + round_trips + in_flight");
  v.counter({"held_requests", "accesses", "Requests that their receiver held back"}, held_requests);
  v.counter({"backlog_cycles", "cycles", "Sum over the accesses sent, from coming up to being sent"},
            backlog_cycles);
  v.ratio({"mean_backlog_wait", "cycles", "From coming up to being sent"}, backlog_cycles, sent);
  v.histogram({"latency", "cycles", "From being sent to the answer"}, latency);
  v.ratio({"mean_latency", "cycles", "From being sent to the answer"}, latency.total, latency.samples);
  v.counter({"port_cycles", "cycles", "Cycles of all ports, until their last answer"}, port_cycles);
  v.ratio({"offered_load", "accesses per cycle and port", "Accesses offered per cycle"}, offered,
          port_cycles);
  v.ratio({"accepted_load", "accesses per cycle and port", "Accesses answered per cycle"}, answered(),
          port_cycles);
  v.counter({"ledger_errors", "accesses", "Accesses whose ledger's sum was not their latency"},
            ledger_errors);
  v.law("ledger_errors = 0");
  if (!checks) return;
  v.counter({"atomics", "accesses", "Atomics sent"}, atomics);
  v.counter({"checked_bytes", "bytes", "Bytes of answers, and of memory at the end, that were checked"},
            checked_bytes);
  v.counter({"wrong_bytes", "bytes", "Of these: not what they must be"}, wrong_bytes);
  v.law("wrong_bytes = 0");
}

void TrafficStats::restart() {
  const std::uint64_t open = in_flight;
  const std::uint64_t waiting = backlog;
  const bool check = checks;
  *this = {};
  checks = check;
  // The classes of accesses in flight are not kept: they count as loads.
  in_flight = sent = loads = open;
  backlog = waiting;
  offered = open + waiting;
}

}  // namespace strata
