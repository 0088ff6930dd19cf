#include "platforms/report/headroom_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/common/faults.h"
#include "models/llc_control/llc_control_params.h"
#include "models/llc_slice/llc_slice_params.h"
#include "models/router_stage/router_stage_params.h"
#include "models/sm_cluster/sm_cluster_params.h"
#include "platforms/report/resource_loads.h"

namespace strata::platforms {
namespace {

/// Calls `visit(params, group)` for each group whose modules have these parameters.
template <class Params, class Visit>
void each_group(const ResolvedNetlist& netlist, Visit visit) {
  for (const ResolvedGroup& group : netlist.groups)
    if (const auto* params = dynamic_cast<const Params*>(group.base.params.get()); params != nullptr)
      visit(*params, group);
}

double channel_bandwidth(const ResolvedNetlist& netlist) {
  double narrowest = std::numeric_limits<double>::infinity();
  each_group<RouterStageParams>(netlist, [&](const RouterStageParams& router, const ResolvedGroup& group) {
    narrowest = std::min(narrowest, router.channel_bytes * cycles_in_core_cycle(netlist, group.clock));
  });
  return std::isinf(narrowest) ? BandwidthParams{}.slice : narrowest;
}

}  // namespace

HeadroomMachine headroom_machine(const ResolvedNetlist& netlist) {
  HeadroomMachine machine;
  HeadroomParams& params = machine.params;
  params.channels = netlist.address_map.channels;
  params.slices = netlist.address_map.slices_per_channel;
  params.line_bytes = static_cast<int>(netlist.address_map.line);
  params.clusters = 0;
  bool slices = false;
  each_group<LlcSliceParams>(netlist, [&](const LlcSliceParams& slice, const ResolvedGroup&) {
    slices = true;
    params.slice_sets = static_cast<int>(slice.sets());
    params.ways = slice.ways;
    machine.set_index = slice.set_index;
  });
  if (!slices) throw ConfigError("the platform has no slice of an LLC: there are no lookups to replay");
  each_group<SmClusterParams>(
      netlist, [&](const SmClusterParams&, const ResolvedGroup& group) { params.clusters += group.count(); });
  params.clusters = std::max(params.clusters, 1);
  if (const auto issue = peak_of(netlist, Role::sm, "issue"))
    machine.issue_slots = static_cast<std::uint64_t>(issue->uses);
  const auto bus = peak_of(netlist, Role::memory, "bus");
  params.bandwidth = {channel_bandwidth(netlist), bus ? bus->bytes : std::numeric_limits<double>::infinity()};
  each_group<LlcControlParams>(netlist, [&](const LlcControlParams& control, const ResolvedGroup&) {
    params.bandwidth.slice = control.slice_bandwidth;
    params.replicate_read_only = control.replicates();
  });
  return machine;
}

}  // namespace strata::platforms
