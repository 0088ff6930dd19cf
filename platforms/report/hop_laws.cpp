#include "platforms/report/hop_laws.h"

#include <map>
#include <numeric>

namespace strata::platforms {
namespace {

using Names = std::vector<std::string_view>;

/// What a module counts at a socket group. Empty: it does not count that direction.
struct HopCounters {
  std::string_view kind, port;
  Names requests, replies;
};

const std::vector<HopCounters>& hop_counters() {
  static const std::vector<HopCounters> table = {
      {"sm_cluster",
       "core",
       {"line_accesses", "flushes"},
       {"answered_at_once", "round_trips", "flush_answers"}},
      {"traffic_generator", "core", {"sent"}, {"answered_at_once", "round_trips"}},
      {"traffic_generator", "noc", {"sent"}, {"answered_at_once", "round_trips"}},
      {"l1_private", "core", {"requests", "flushes"}, {"replies"}},
      {"l1_private", "noc", {"requests_to_llc"}, {"replies_from_llc"}},
      {"router_stage", "in", {"requests_in"}, {"replies_out"}},
      {"router_stage", "out", {"requests_out"}, {"replies_in"}},
      {"llc_slice", "noc", {"accesses"}, {"replies"}},
      {"llc_slice", "mem", {"fetches", "memory_writes"}, {"fills", "memory_write_acks"}},
      {"memory_controller", "slice", {"accepted"}, {}},
  };
  return table;
}

const HopCounters* counters_of(std::string_view kind, std::string_view port) {
  for (const HopCounters& row : hop_counters())
    if (row.kind == kind && row.port == port) return &row;
  return nullptr;
}

/// A socket group of one instance, by number; united with those it is bound to.
class Ends {
 public:
  std::size_t number(const ResolvedNetlist& netlist, const ResolvedEnd& end) {
    const auto key = std::make_tuple(end.group, end.index, end.port);
    const auto [at, fresh] = numbers_.emplace(key, parents_.size());
    if (fresh) {
      parents_.push_back(parents_.size());
      ends_.push_back(end);
      const ResolvedGroup& group = netlist.groups[static_cast<std::size_t>(end.group)];
      names_.push_back(group.name + "[" + std::to_string(end.index) + "]");
    }
    return at->second;
  }
  std::size_t root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) { parents_[root(b)] = root(a); }
  std::size_t size() const { return ends_.size(); }
  const ResolvedEnd& end(std::size_t i) const { return ends_[i]; }
  const std::string& instance(std::size_t i) const { return names_[i]; }

 private:
  std::map<std::tuple<int, int, int>, std::size_t> numbers_;
  std::vector<std::size_t> parents_;
  std::vector<ResolvedEnd> ends_;
  std::vector<std::string> names_;
};

struct Flow {
  std::uint64_t count = 0;
  bool known = true;
  std::string from;  // the sockets that were added up: the first, and how many more
  int sockets = 0;
};

struct Hop {
  Flow requests[2], replies[2];  // initiators, targets
};

void add(Flow& flow, const Names& names, const InstanceStats* stats, const std::string& where) {
  if (flow.sockets++ == 0) flow.from = where;
  if (names.empty() || stats == nullptr) {
    flow.known = false;
    return;
  }
  for (const std::string_view name : names) {
    const CounterRow* row = stats->counter(name);
    if (row == nullptr) {
      flow.known = false;
      return;
    }
    flow.count += row->value;
  }
}

std::string text(const Flow& flow) {
  return flow.from + (flow.sockets > 1 ? " and " + std::to_string(flow.sockets - 1) + " more" : "");
}

void judge(const Flow (&flow)[2], const char* what, Faults& faults) {
  if (!flow[0].known || !flow[1].known || flow[0].count == flow[1].count) return;
  faults.push_back({{},
                    std::string(what) + " of a hop differ: " + std::to_string(flow[0].count) + " at " +
                        text(flow[0]) + ", " + std::to_string(flow[1].count) + " at " + text(flow[1])});
}

}  // namespace

Faults check_hops(const ResolvedNetlist& netlist, const std::vector<InstanceStats>& tables) {
  std::map<std::string, const InstanceStats*> by_name;
  for (const InstanceStats& table : tables) by_name[table.instance] = &table;
  Ends ends;
  for (const ResolvedConnection& connection : netlist.connections)
    if (connection.tlm)
      ends.unite(ends.number(netlist, connection.from), ends.number(netlist, connection.to));

  std::map<std::size_t, Hop> hops;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const ResolvedGroup& group = netlist.groups[static_cast<std::size_t>(ends.end(i).group)];
    const PortSpec& port = netlist.port(ends.end(i));
    const HopCounters* counters = counters_of(group.kind->name, port.name);
    const auto stats = by_name.find(ends.instance(i));
    Hop& hop = hops[ends.root(i)];
    const int side = port.role == PortRole::initiator ? 0 : 1;
    const InstanceStats* found = stats == by_name.end() || counters == nullptr ? nullptr : stats->second;
    const std::string where = ends.instance(i) + "." + port.name;
    add(hop.requests[side], counters == nullptr ? Names{} : counters->requests, found, where);
    add(hop.replies[side], counters == nullptr ? Names{} : counters->replies, found, where);
  }
  Faults faults;
  for (const auto& [root, hop] : hops) {
    judge(hop.requests, "requests", faults);
    judge(hop.replies, "replies", faults);
  }
  return faults;
}

std::vector<std::string> unanswered(const std::vector<InstanceStats>& tables) {
  std::vector<std::string> lines;
  for (const InstanceStats& table : tables) {
    for (const HopCounters& counters : hop_counters()) {
      if (counters.kind != table.kind || counters.replies.empty()) continue;
      Flow requests;
      Flow replies;
      const std::string where = table.instance + "." + std::string(counters.port);
      add(requests, counters.requests, &table, where);
      add(replies, counters.replies, &table, where);
      if (!requests.known || !replies.known || requests.count <= replies.count) continue;
      lines.push_back(where + ": " + std::to_string(requests.count) + " requests, " +
                      std::to_string(replies.count) + " replies");
    }
  }
  return lines;
}

}  // namespace strata::platforms
