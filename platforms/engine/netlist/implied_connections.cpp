#include <deque>
#include <map>
#include <set>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {
namespace {

using Member = std::pair<int, int>;  // group, index

/// The connections that start at each member.
using Ways = std::map<Member, std::vector<const ResolvedConnection*>>;

/// The first control inputs of a protocol on the paths that start with `first`.
std::vector<ResolvedEnd> first_inputs(const ResolvedNetlist& netlist, const Ways& ways,
                                      const ResolvedConnection& first, const std::string& protocol) {
  std::vector<ResolvedEnd> found;
  std::set<Member> seen;
  for (std::deque<const ResolvedConnection*> open = {&first}; !open.empty(); open.pop_front()) {
    const ResolvedEnd& to = open.front()->to;
    if (!seen.insert({to.group, to.index}).second) continue;
    const std::vector<PortSpec>& ports = *netlist.member(to).ports;
    const std::size_t before = found.size();
    for (std::size_t p = 0; p < ports.size(); ++p)
      if (ports[p].role == PortRole::control_in && ports[p].protocol == protocol)
        found.push_back({to.group, to.index, static_cast<int>(p), 0});
    const auto on = ways.find({to.group, to.index});
    if (found.size() != before || on == ways.end()) continue;
    for (const ResolvedConnection* next : on->second)
      if (next->tlm) open.push_back(next);
  }
  return found;
}

}  // namespace

std::vector<ResolvedConnection> implied_connections(const ResolvedNetlist& netlist) {
  Ways ways;
  for (const ResolvedConnection& connection : netlist.connections)
    ways[{connection.from.group, connection.from.index}].push_back(&connection);
  std::vector<ResolvedConnection> implied;
  for (const auto& [member, begin] : ways) {
    const std::vector<PortSpec>& ports = *netlist.member(begin.front()->from).ports;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      if (ports[p].follows.empty()) continue;
      std::set<int> bound;
      for (const ResolvedConnection* connection : begin)
        if (connection->from.port == static_cast<int>(p)) bound.insert(connection->from.socket);
      for (const ResolvedConnection* led : begin) {
        const ResolvedEnd& from = led->from;
        if (netlist.port(from).name != ports[p].follows || bound.count(from.socket) != 0) continue;
        for (const ResolvedEnd& to : first_inputs(netlist, ways, *led, ports[p].protocol))
          implied.push_back(
              {{from.group, from.index, static_cast<int>(p), from.socket}, to, false, led->binding});
      }
    }
  }
  return implied;
}

}  // namespace strata::platforms
