// The table of kinds of plug-ins that `strata new-plugin` writes. A new kind is a row here and
// templates/KIND.cpp.
#include "models/cache/prefetcher.h"
#include "models/cache/replacement.h"
#include "models/common/address_map.h"
#include "models/cta_dispatcher/cta_placement.h"
#include "models/llc_control/organization_kind.h"
#include "models/memory_controller/dram_scheduler.h"
#include "models/memory_controller/row_policy.h"
#include "models/noc/routing/routing.h"
#include "models/sm_cluster/warp_order.h"
#include "platforms/cli/new_plugin/new_plugin.h"
#include "platforms/engine/netlist/module_table.h"

namespace strata::platforms {
namespace {

template <class Row>
bool is_policy(std::string_view name) {
  return Row::table().find(name) >= 0;
}

bool is_module(std::string_view name) {
  return find_module(built_in_modules(), name) != nullptr;
}

bool is_trace(std::string_view name) {
  return name == "synthetic" || name == "workload";
}

constexpr std::string_view random_loads = "synthetic:random:footprint=64KiB,loads=64,ctas=16";

}  // namespace

const std::vector<NewPluginKind>& new_plugin_kinds() {
  static const std::vector<NewPluginKind> kinds = {
      {"replacement", "the line that a cache evicts", "models/cache/replacement.h", "3 to 5", "tiny",
       "instances:\n  l1: {replacement: my_plugin, size: 4 KiB, ways: 4}\n", "l1.replacement", random_loads,
       is_policy<ReplacementPolicy>},
      {"prefetcher", "lines that a cache fetches before they are asked for", "models/cache/prefetcher.h", "2",
       "tiny", "instances:\n  l1: {prefetcher: my_plugin}\n", "l1.prefetcher", random_loads,
       is_policy<PrefetcherRow>},
      {"warp_scheduler", "the warp that issues next", "models/sm_cluster/warp_order.h", "1 to 3", "tiny",
       "instances:\n  sm: {scheduler: my_plugin}\n", "sm.scheduler", random_loads, is_policy<WarpOrderRow>},
      {"cta_placement", "the SM that gets the next CTA", "models/cta_dispatcher/cta_placement.h", "2 or 3",
       "tiny", "instances:\n  cta: {scheduler: my_plugin}\n  sm: {sms: 2}\n", "cta.scheduler", random_loads,
       is_policy<CtaPlacementRow>},
      {"llc_organization", "the LLC slice that serves a request", "models/llc_control/organization.h",
       "1, more to change modes", "isca19/adaptive", "instances:\n  ctl: {organization: my_plugin}\n",
       "ctl.organization", "synthetic:random:loads=8,ctas=16", is_policy<OrganizationKind>},
      {"dram_scheduler", "the order of DRAM requests", "models/memory_controller/dram_scheduler.h", "1 to 3",
       "tiny", "instances:\n  mc: {scheduler: my_plugin}\n", "mc.scheduler", random_loads,
       is_policy<DramSchedulerRow>},
      {"row_policy", "when an open DRAM row is closed", "models/memory_controller/row_policy.h", "1 to 3",
       "tiny", "instances:\n  mc: {page_policy: my_plugin}\n", "mc.page_policy", random_loads,
       is_policy<RowPolicyRow>},
      {"address_map", "how addresses spread over channels and slices", "models/common/address_map.h", "1",
       "tiny", "address_map: {kind: my_plugin}\ninstances:\n  mc: {count: 4}\n  llc: {count: 4}\n",
       "address_map.kind", random_loads, is_policy<AddressMapRow>},
      {"routing", "the output of a router that a request takes", "models/noc/routing/routing.h", "1", "tiny",
       "instances:\n  sm: {sms: 2}\n  rtr: {inputs: links.outputs}\n"
       "  links: {module: router_stage, inputs: l1.count, outputs: 2, route: line, routing: my_plugin}\n"
       "bind:\n  - cta.cluster[c] -> sm[c].dispatch\n  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm\n"
       "  - l1[i].noc      -> links.in[i]\n  - links.out[k]   -> rtr.in[k]\n"
       "  - rtr.out[k]     -> llc[k].noc\n"
       "  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]\n"
       "  - mc[m].channel  -> ch[m].controller\n",
       "", random_loads, is_policy<RoutingPolicy>},
      {"tlm_module", "a TLM-2.0 module in a netlist", "models/tlm/external_module.h", "3", "tiny",
       "instances:\n  ch: ~\n  mc: {module: my_plugin}\nbind:\n  - cta.cluster[c] -> sm[c].dispatch\n"
       "  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm\n  - l1[i].noc      -> rtr.in[i]\n"
       "  - rtr.out[k]     -> llc[k].noc\n  - llc[0].mem     -> mc.in\n",
       "", random_loads, is_module},
      {"trace", "a source of traces", "models/common/instruction_source.h", "4", "tiny", "", "",
       "my_plugin:64", is_trace},
  };
  return kinds;
}

}  // namespace strata::platforms
