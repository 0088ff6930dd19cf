#include "platforms/report/laws.h"

#include <cctype>
#include <map>
#include <numeric>

namespace strata::platforms {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// One side of a law: its value, and on request its text with values in place of names.
struct Side {
  unsigned __int128 value = 0;  // sums of 64-bit counters do not overflow
  std::string values;
  std::string problem;
};

Side evaluate(std::string_view text, const CounterLookup& lookup, bool spelled_out = false) {
  Side side;
  std::size_t begin = 0;
  while (side.problem.empty()) {
    const std::size_t plus = text.find('+', begin);
    const std::string_view term =
        trimmed(text.substr(begin, plus == std::string_view::npos ? plus : plus - begin));
    std::optional<std::uint64_t> value;
    if (!term.empty() && std::isdigit(static_cast<unsigned char>(term.front())) != 0) {
      const auto number = parse_integer(term);
      if (number) value = static_cast<std::uint64_t>(*number);
    } else if (!term.empty()) {
      value = lookup(term);
    }
    if (!value) {
      side.problem = term.empty() ? "a term is missing" : "no counter '" + std::string(term) + "'";
      break;
    }
    side.value += *value;
    if (spelled_out) side.values += (side.values.empty() ? "" : " + ") + std::to_string(*value);
    if (plus == std::string_view::npos) break;
    begin = plus + 1;
  }
  return side;
}

}  // namespace

std::string check_law(std::string_view law, const CounterLookup& lookup) {
  const std::size_t equal = law.find('=');
  if (equal == std::string_view::npos || equal == 0 || law.find('=', equal + 1) != std::string_view::npos)
    return "law '" + std::string(law) + "' needs exactly one = or >=";
  const bool at_least = law[equal - 1] == '>';
  const std::string_view one = law.substr(0, equal - (at_least ? 1 : 0)), other = law.substr(equal + 1);
  const Side left = evaluate(one, lookup), right = evaluate(other, lookup);
  for (const Side* side : {&left, &right})
    if (!side->problem.empty()) return "law '" + std::string(law) + "': " + side->problem;
  if (at_least ? left.value >= right.value : left.value == right.value) return {};
  return "law '" + std::string(law) + "' does not hold: " + evaluate(one, lookup, true).values +
         (at_least ? " < " : " is not ") + evaluate(other, lookup, true).values;
}

Faults check_laws(const std::vector<InstanceStats>& tables) {
  Faults faults;
  for (const InstanceStats& table : tables) {
    const CounterLookup lookup = [&](std::string_view name) -> std::optional<std::uint64_t> {
      const CounterRow* row = table.counter(name);
      if (row == nullptr) return std::nullopt;
      return row->value;
    };
    for (const std::string& law : table.laws) {
      const std::string problem = check_law(law, lookup);
      if (!problem.empty()) faults.push_back({{}, table.instance + ": " + problem});
    }
  }
  return faults;
}

namespace {

using Names = std::vector<std::string_view>;

std::string name_of(const ResolvedGroup& group, int index) {
  return group.name + "[" + std::to_string(index) + "]";
}

std::map<std::string, const InstanceStats*> index_of(const std::vector<InstanceStats>& tables) {
  std::map<std::string, const InstanceStats*> by_name;
  for (const InstanceStats& table : tables) by_name[table.instance] = &table;
  return by_name;
}

/// Socket groups of instances, by number, merged with those they are bound to.
class Ends {
 public:
  std::size_t number(const ResolvedNetlist& netlist, const ResolvedEnd& end) {
    const auto key = std::make_tuple(end.group, end.index, end.port);
    const auto [at, fresh] = numbers_.emplace(key, parents_.size());
    if (fresh) {
      parents_.push_back(parents_.size());
      ends_.push_back(end);
      names_.push_back(name_of(netlist.groups[static_cast<std::size_t>(end.group)], end.index));
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
  std::string from;  // the summed sockets: the first, and how many more
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
    const bool less = name.front() == '-';
    const CounterRow* row = stats->counter(name.substr(less ? 1 : 0));
    if (row == nullptr) {
      flow.known = false;
      return;
    }
    flow.count += less ? 0 - row->value : row->value;
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
  const auto by_name = index_of(tables);
  Ends ends;
  for (const ResolvedConnection& connection : netlist.connections)
    if (connection.tlm)
      ends.unite(ends.number(netlist, connection.from), ends.number(netlist, connection.to));

  std::map<std::size_t, Hop> hops;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const PortSpec& port = netlist.port(ends.end(i));
    const auto stats = by_name.find(ends.instance(i));
    Hop& hop = hops[ends.root(i)];
    const int side = port.role == PortRole::initiator ? 0 : 1;
    const InstanceStats* found = stats == by_name.end() ? nullptr : stats->second;
    const std::string where = ends.instance(i) + "." + port.name;
    add(hop.requests[side], port.hop.requests, found, where);
    add(hop.replies[side], port.hop.replies, found, where);
  }
  Faults faults;
  for (const auto& [root, hop] : hops) {
    judge(hop.requests, "requests", faults);
    judge(hop.replies, "replies", faults);
  }
  return faults;
}

std::vector<std::string> unanswered(const ResolvedNetlist& netlist,
                                    const std::vector<InstanceStats>& tables) {
  const auto by_name = index_of(tables);
  std::vector<std::string> lines;
  for (const ResolvedGroup& group : netlist.groups) {
    for (int i = 0; i < group.count(); ++i) {
      const std::string instance = name_of(group, i);
      const auto stats = by_name.find(instance);
      for (const PortSpec& port : *group.members[static_cast<std::size_t>(i)].ports) {
        if (stats == by_name.end() || port.hop.replies.empty()) continue;
        Flow requests;
        Flow replies;
        const std::string where = instance + "." + port.name;
        add(requests, port.hop.requests, stats->second, where);
        add(replies, port.hop.replies, stats->second, where);
        if (!requests.known || !replies.known || requests.count <= replies.count) continue;
        lines.push_back(where + ": " + std::to_string(requests.count) + " requests, " +
                        std::to_string(replies.count) + " replies");
      }
    }
  }
  return lines;
}

}  // namespace strata::platforms
