#include "platforms/studies/energy/floor_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::platforms {
namespace {

/// Sets of connected things: union-find.
class Islands {
 public:
  explicit Islands(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }
  std::size_t find(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// True for a link of a network: between routers, or between a router and a block bound to it.
bool is_link(const ResolvedNetlist& netlist, const ResolvedConnection& connection) {
  if (!connection.tlm) return false;
  const auto role = [&netlist](const ResolvedEnd& end) {
    return netlist.groups[static_cast<std::size_t>(end.group)].kind->role;
  };
  return role(connection.from) == Role::router || role(connection.to) == Role::router;
}

int regions_of(const ResolvedNetlist& netlist, int from, int to) {
  const auto count = [&netlist](int group) {
    return static_cast<std::size_t>(netlist.groups[static_cast<std::size_t>(group)].count());
  };
  Islands islands(count(from) + count(to));
  std::vector<bool> linked(count(from) + count(to), false);
  for (const ResolvedConnection& connection : netlist.connections) {
    if (connection.from.group != from || connection.to.group != to || !connection.tlm) continue;
    const auto a = static_cast<std::size_t>(connection.from.index);
    const auto b = count(from) + static_cast<std::size_t>(connection.to.index);
    islands.join(a, b);
    linked[a] = linked[b] = true;
  }
  int regions = 0;
  for (std::size_t i = 0; i < linked.size(); ++i)
    if (linked[i] && islands.find(i) == i) ++regions;
  return std::max(1, regions);
}

}  // namespace

std::vector<LinkGroup> floor_plan(const ResolvedNetlist& netlist, double chip_side_mm) {
  std::map<std::pair<int, int>, int> links;
  for (const ResolvedConnection& connection : netlist.connections)
    if (is_link(netlist, connection)) ++links[{connection.from.group, connection.to.group}];
  std::vector<LinkGroup> groups;
  for (const auto& [ends, count] : links) {
    LinkGroup group{ends.first, ends.second, count, regions_of(netlist, ends.first, ends.second)};
    group.length_mm = chip_side_mm / 2 / std::sqrt(static_cast<double>(group.regions));
    for (const int end : {ends.second, ends.first})
      if (const double mm = netlist.groups[static_cast<std::size_t>(end)].link_mm; mm > 0)
        group.length_mm = mm, group.stated = true;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace strata::platforms
