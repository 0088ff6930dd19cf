// What the netlist knows of `sm_cluster`.
#include "models/sm_cluster/sm_cluster.h"

namespace strata {
namespace {

Resources resources(const ParamSet& set) {
  const auto& p = static_cast<const SmClusterParams&>(set);
  const double schedulers = p.sms * p.schedulers;
  Resources all = {
      {"issue",
       "warp scheduler issue slots",
       Resource::Kind::rate,
       schedulers,
       {{"issue_cycles"}},
       Resource::Held::counted,
       {},
       {{"schedulers", "*2"}}},
      {"sfu",
       "special function units",
       Resource::Kind::rate,
       schedulers * p.sfu.units,
       {{"sfu_instructions", static_cast<double>(p.sfu.interval)}},
       Resource::Held::counted,
       {},
       {{"sfu_interval", "/2"}}},
      {"shared",
       "shared memory banks",
       Resource::Kind::rate,
       static_cast<double>(p.sms),
       {{"shared_load_instructions"}, {"shared_store_instructions"}, {"shared_conflict_cycles"}}},
      {"lsu",
       "load/store units",
       Resource::Kind::rate,
       static_cast<double>(p.sms * p.lines_per_cycle),
       {{"line_accesses"}},
       Resource::Held::counted,
       {Cause::queue}},
      {"loads",
       "loads in flight in SMs",
       Resource::Kind::room,
       static_cast<double>(p.sms * p.warps * p.loads_per_warp),
       {{"memory_latency"}},
       Resource::Held::counted,
       {},
       {{"loads_per_warp", "*2"}}}};
  all[2].more = "fewer accesses and bank conflicts in shared memory";
  all[3].more = "fewer lines for each instruction, or more lines per cycle (lines_per_cycle)";
  if (p.dsmem == Dsmem::network) all[2].uses.push_back({"dsmem_shared_cycles"});
  struct Class {
    const UnitParams& units;
    std::string_view name, sentence, ratio, interval;
  };
  for (const Class& one :
       {Class{p.integer, "int", "integer units", "int_utilization", "int_interval"},
        Class{p.sp, "sp", "single and half precision units", "sp_utilization", "sp_interval"},
        Class{p.dp, "dp", "double precision units", "dp_utilization", "dp_interval"},
        Class{p.tensor, "tensor", "tensor units", "tensor_utilization", "tensor_interval"},
        Class{p.branch, "branch", "control flow units", "branch_utilization", "branch_interval"}})
    if (one.units.interval > one.units.units)  // a scheduler can find them busy
      all.push_back({one.name,
                     one.sentence,
                     Resource::Kind::rate,
                     schedulers * one.units.units,
                     {{one.ratio}},
                     Resource::Held::counted,
                     {},
                     {{one.interval, "/2"}}});
  return all;
}

}  // namespace

const ModuleKind& sm_cluster_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<SmClusterParams, SmClusterStats, SmCluster, true>(
        "sm_cluster", "Streaming multiprocessors: warps, schedulers, scoreboard, coalescer", Role::sm, "core",
        [](const ParamSet& params) -> std::vector<PortSpec> {
          const auto& p = static_cast<const SmClusterParams&>(params);
          const int sms = p.sms, ends = p.dsmem == Dsmem::network ? sms : 0;
          return {
              tlm_sockets("l1", PortRole::initiator, sms, "Line accesses of SM i, to its L1",
                          {{"line_accesses"}, {"answered_at_once", "round_trips"}}, "core"),
              {"flush",
               PortRole::control_out,
               sms,
               true,
               "LineFlushIf",
               "Drops the lines that are kept for SM i; unless bound, in the block behind l1[i]",
               {},
               "l1"},
              {"dispatch", PortRole::control_in, 1, false, "CtaLaunchIf", "CTAs from the dispatcher"},
              tlm_sockets("dsmem_out", PortRole::initiator, ends,
                          "With `dsmem: network`, one an SM: requests of SM i to shared memory of the others",
                          {{"dsmem_requests"}, {"dsmem_replies"}}),
              tlm_sockets("dsmem_in", PortRole::target, ends,
                          "With `dsmem: network`, one an SM: requests of the others to shared memory of SM i",
                          {{"dsmem_taken"}, {"dsmem_served"}})};
        });
    row.resources = resources;
    row.make = [](const char* name, const ParamSet& params,
                  const BuildContext& context) -> std::unique_ptr<Block> {
      return make_sm_cluster(name, static_cast<const SmClusterParams&>(params), context);
    };
    return row;
  }();
  return kind;
}

}  // namespace strata
