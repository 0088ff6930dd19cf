#include "platforms/report/headroom_machine.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "models/common/faults.h"
#include "models/common/llc_choices_if.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/resource_loads.h"

namespace strata::platforms {
namespace {

/// Bandwidth of the narrowest router link; empty: no router declares its links.
std::optional<double> narrowest_link(const ResolvedNetlist& netlist) {
  std::optional<double> narrowest;
  for (const ResolvedGroup& group : netlist.groups) {
    if (group.kind->role != Role::router || group.kind->resources == nullptr) continue;
    for (const Resource& resource : group.kind->resources(*group.base.params))
      if (const double bytes = resource.bytes * cycles_in_core_cycle(netlist, group.clock); bytes > 0)
        narrowest = std::min(narrowest.value_or(bytes), bytes);
  }
  return narrowest;
}

}  // namespace

HeadroomMachine headroom_machine(const ResolvedNetlist& netlist) {
  HeadroomMachine machine;
  HeadroomParams& params = machine.params;
  params.channels = netlist.address_map.channels;
  params.slices = netlist.address_map.slices_per_channel;
  params.line_bytes = static_cast<int>(netlist.address_map.line);
  params.clusters = 0;
  params.bandwidth.slice = narrowest_link(netlist).value_or(BandwidthParams{}.slice);
  bool slices = false;
  for (const ResolvedGroup& group : netlist.groups) {
    const ParamValues values(*group.base.params);
    if (group.kind->role == Role::sm) params.clusters += group.count();
    if (const auto slice = cache_shape(values, static_cast<std::uint64_t>(params.line_bytes));
        slice && group.kind->role == Role::llc) {
      slices = true;
      params.ways = slice->ways;
      params.slice_sets = static_cast<int>(slice->sets);
      machine.set_index = slice->set_index.value_or(machine.set_index);
    }
    if (group.kind->role != Role::control) continue;
    params.bandwidth.slice = values.number("slice_bandwidth", params.bandwidth.slice);
    if (const auto* control = dynamic_cast<const LlcChoicesParams*>(group.base.params.get()))
      params.replicate_read_only = control->replicates();
  }
  if (!slices) throw ConfigError("the platform has no slice of an LLC: there are no lookups to replay");
  params.clusters = std::max(params.clusters, 1);
  if (const auto issue = peak_of(netlist, Role::sm, "issue"))
    machine.issue_slots = static_cast<std::uint64_t>(issue->uses);
  const auto bus = peak_of(netlist, Role::memory, "bus");
  params.bandwidth.memory = bus ? bus->bytes : std::numeric_limits<double>::infinity();
  return machine;
}

}  // namespace strata::platforms
