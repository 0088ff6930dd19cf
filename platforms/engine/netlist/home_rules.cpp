// Check the number of nodes that share the lines: nodes that index by their own lines must know it (`homes`).
#include <set>
#include <string>
#include <utility>

#include "platforms/engine/netlist/param_values.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
namespace {

using MemberAt = std::pair<int, int>;  // group, index

const ResolvedGroup& group_at(const ResolvedNetlist& netlist, int group) {
  return netlist.groups[static_cast<std::size_t>(group)];
}

int homes_of(const ResolvedMember& member) {
  return static_cast<int>(ParamValues(*member.params).number("homes", 1));
}

// L1s that can be reached from a router, or another block that passes requests on, through such blocks alone.
std::set<MemberAt> l1s_behind(const ResolvedNetlist& netlist, MemberAt first) {
  std::set<MemberAt> seen = {first}, found;
  for (std::set<MemberAt> ways = seen; !ways.empty();) {
    std::set<MemberAt> next;
    for (const ResolvedConnection& connection : netlist.connections) {
      const MemberAt to = {connection.to.group, connection.to.index};
      if (!connection.tlm || ways.count({connection.from.group, connection.from.index}) == 0) continue;
      const Role role = group_at(netlist, to.first).kind->role;
      if (role == Role::l1) found.insert(to);
      if (passes(role) && seen.insert(to).second) next.insert(to);
    }
    ways = std::move(next);
  }
  return found;
}

// Groups with L1s that index by their own lines.
std::set<int> groups_with_homes(const ResolvedNetlist& netlist) {
  std::set<int> found;
  for (std::size_t g = 0; g < netlist.groups.size(); ++g) {
    if (netlist.groups[g].kind->role != Role::l1) continue;
    const ParamSet* last = nullptr;
    for (const ResolvedMember& member : netlist.groups[g].members) {
      if (member.params.get() != last && homes_of(member) != 1) found.insert(static_cast<int>(g));
      last = member.params.get();
    }
  }
  return found;
}

}  // namespace

// The entry path of a core determines the nodes that share its lines. One home (the line's own number) is
// valid with any.
void Resolver::check_homes() {
  std::set<int> groups = groups_with_homes(out_);
  std::set<MemberAt> ways_in;
  for (const ResolvedConnection& connection : out_.connections) {
    if (groups.empty()) return;
    const Role from = group_at(out_, connection.from.group).kind->role;
    const MemberAt way = {connection.to.group, connection.to.index};
    if (!connection.tlm || (from != Role::sm && from != Role::generator) || !ways_in.insert(way).second)
      continue;
    const bool network = passes(group_at(out_, way.first).kind->role);
    const std::set<MemberAt> nodes = network ? l1s_behind(out_, way) : std::set<MemberAt>{way};
    const int count = static_cast<int>(nodes.size());
    for (const auto& [g, index] : nodes) {
      const ResolvedGroup& group = group_at(out_, g);
      if (groups.count(g) == 0 || doubtful(group.name)) continue;
      const int homes = homes_of(group.members[static_cast<std::size_t>(index)]);
      if (homes == 1 || homes == count) continue;
      groups.erase(g);  // one fault for all
      fault(place_of(group, "homes"), group.name + ".homes is " + std::to_string(homes) +
                                          ", but lines of a core are shared out among " +
                                          std::to_string(count) +
                                          (count == 1 ? " node; allowed: 1" : " nodes; allowed: 1 or ") +
                                          (count == 1 ? "" : std::to_string(count)));
    }
  }
}

}  // namespace strata::platforms
