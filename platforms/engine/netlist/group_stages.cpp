#include "platforms/engine/netlist/group_stages.h"

#include <algorithm>
#include <set>
#include <utility>

namespace strata::platforms {

bool is_control(const ResolvedNetlist& netlist, int group) {
  return std::none_of(
      netlist.connections.begin(), netlist.connections.end(),
      [&](const ResolvedConnection& c) { return c.tlm && (c.from.group == group || c.to.group == group); });
}

std::vector<int> group_stages(const ResolvedNetlist& netlist) {
  std::vector<int> stage(netlist.groups.size(), 0);
  std::set<std::pair<int, int>> edges;
  for (const ResolvedConnection& c : netlist.connections)
    if (c.tlm && c.from.group != c.to.group) edges.emplace(c.from.group, c.to.group);
  for (std::size_t round = 0; round < netlist.groups.size();
       ++round)  // a cycle of groups ends after that many rounds
    for (const auto& [from, to] : edges)
      stage[static_cast<std::size_t>(to)] =
          std::max(stage[static_cast<std::size_t>(to)], stage[static_cast<std::size_t>(from)] + 1);
  for (const ResolvedConnection& c : netlist.connections)  // place a controller below its last caller
    if (!c.tlm && is_control(netlist, c.to.group))
      stage[static_cast<std::size_t>(c.to.group)] = std::max(stage[static_cast<std::size_t>(c.to.group)],
                                                             stage[static_cast<std::size_t>(c.from.group)]);
  return stage;
}

}  // namespace strata::platforms
