// What the netlist knows of `sm_cluster`, and what the watchdog and the end of a run ask of it.
#include "models/sm_cluster/sm_cluster_at.h"
#include "models/sm_cluster/sm_cluster_lt.h"

namespace strata {

Faults SmClusterAt::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  if (pool_.in_use() != 0) fault(std::to_string(pool_.in_use()) + " accesses were never answered");
  const SmClusterStats& all = counters();
  if (all.records_launched != all.records_issued)
    fault(std::to_string(all.records_launched - all.records_issued) + " trace records were never issued");
  if (const int left = tenants_.flushes_left(); left != 0)
    fault(std::to_string(left) + " flushes were never answered");
  for (int s = 0; s < static_cast<int>(sms_.size()); ++s) {
    const SmCore& core = sms_[static_cast<std::size_t>(s)].core;
    const std::string sm = "SM " + std::to_string(s) + ": ";
    if (core.occupancy().ctas() != 0)
      fault(sm + std::to_string(core.occupancy().ctas()) + " CTAs still resident");
    if (core.lines_in_flight() != 0)
      fault(sm + std::to_string(core.lines_in_flight()) + " line accesses in flight");
    if (!core.lsu().empty()) fault(sm + "load/store queue not empty");
  }
  return faults;
}

std::vector<WaitNote> SmClusterAt::waits() const {
  std::vector<WaitNote> notes;
  for (int s = 0; s < static_cast<int>(sms_.size()); ++s) {
    const Sm& sm = sms_[static_cast<std::size_t>(s)];
    const SmCore& core = sm.core;
    const std::string who = "SM " + std::to_string(s);
    if (!core.lsu().empty() || sm.blocked != nullptr) {
      const bool held = sm.blocked != nullptr;
      notes.push_back({who + ": load/store queue" + (held ? ", request held back" : ""), sm.port->peer(),
                       core.lsu().size(), params_.lsu_depth, held ? &sm.blocked->access() : nullptr});
    }
    if (core.drained()) continue;
    const WaitingWarps waiting = core.waiting();
    notes.push_back({who + ": " + std::to_string(core.lines_in_flight()) + " line accesses in flight; " +
                         std::to_string(waiting.memory) + " warps wait for loads, " +
                         std::to_string(waiting.lsu) + " for the load/store queue, " +
                         std::to_string(waiting.barrier) + " at barriers",
                     core.lines_in_flight() != 0 ? sm.port->peer() : std::string(), core.occupancy().warps(),
                     params_.warps, nullptr});
  }
  return notes;
}

const ModuleKind& sm_cluster_kind() {
  static const ModuleKind kind = module_kind<SmClusterParams, SmClusterStats, SmClusterAt, SmClusterLt>(
      "sm_cluster", "Streaming multiprocessors: warps, schedulers, scoreboard, coalescer", Role::sm, "core",
      [](const ParamSet& params) -> std::vector<PortSpec> {
        const int sms = static_cast<const SmClusterParams&>(params).sms;
        return {tlm_sockets("l1", PortRole::initiator, sms, "Line accesses of SM i, to its L1",
                            {{"line_accesses"}, {"answered_at_once", "round_trips"}}, "core"),
                {"flush",
                 PortRole::control_out,
                 sms,
                 true,
                 "LineFlushIf",
                 "Has the lines dropped that are kept for SM i; unless bound, whatever l1[i] leads to first",
                 {},
                 "l1"},
                {"dispatch", PortRole::control_in, 1, false, "CtaLaunchIf", "CTAs from the dispatcher"}};
      });
  return kind;
}

}  // namespace strata
