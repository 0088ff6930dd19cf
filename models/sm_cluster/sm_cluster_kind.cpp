// What the netlist knows of `sm_cluster`.
#include "models/sm_cluster/sm_cluster_at.h"

namespace strata {

const ModuleKind& sm_cluster_kind() {
  static const ModuleKind kind = module_kind<SmClusterParams, SmClusterStats, SmClusterAt, true>(
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
