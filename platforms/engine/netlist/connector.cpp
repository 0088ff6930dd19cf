#include "platforms/engine/netlist/connector.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
namespace {

constexpr std::int64_t most_connections =
    1 << 22;  // connections of one statement; the largest GPU crossbar has some 10^4

std::vector<std::string> port_names(const std::vector<PortSpec>& ports) {
  std::vector<std::string> names;
  for (const PortSpec& port : ports) names.push_back(port.name);
  return names;
}

bool starts_connection(PortRole role) {
  return role == PortRole::initiator || role == PortRole::control_out;
}
bool is_tlm(PortRole role) {
  return role == PortRole::initiator || role == PortRole::target;
}

const char* role_with_article(PortRole role) {
  switch (role) {
    case PortRole::initiator:
      return "an initiator";
    case PortRole::target:
      return "a target";
    case PortRole::control_out:
      return "a control output";
    case PortRole::control_in:
      break;
  }
  return "a control input";
}

}  // namespace

std::string counted(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Connector::Connector(Resolver& resolver, ResolvedNetlist& out) : resolver_(resolver), out_(out) {
  for (const ResolvedGroup& group : out.groups) {
    auto& members = bound_.emplace_back();
    for (const ResolvedMember& member : group.members) {
      auto& ports = members.emplace_back();
      for (const PortSpec& port : *member.ports)
        ports.emplace_back(static_cast<std::size_t>(std::max(port.count, 0)), -1);
    }
    excused_.emplace_back(group.base.ports->size(), false);
  }
}

void Connector::fault(std::size_t offset, const std::string& message) {
  SourcePosition where = statement_->where;
  if (where.line > 0) where.column += static_cast<int>(offset);
  resolver_.fault(where, "bind '" + statement_->text + "': " + message);
}

const PortSpec& Connector::spec(const Side& side) const {
  return (*out_.groups[static_cast<std::size_t>(side.group)].base.ports)[static_cast<std::size_t>(side.port)];
}

std::string Connector::port_name(const Side& side) const {
  return out_.groups[static_cast<std::size_t>(side.group)].name + "." + spec(side).name;
}

void Connector::excuse(const Side& side) {
  if (side.group >= 0 && side.port >= 0)
    excused_[static_cast<std::size_t>(side.group)][static_cast<std::size_t>(side.port)] = true;
}

// A statement that cannot be read was meant to bind the instances it names: their unbound sockets are no
// further fault.
void Connector::excuse_mentioned(const std::string& text) {
  Scanner scanner(text);
  while (!scanner.at_end()) {
    const std::string word = scanner.name();
    for (std::size_t g = 0; g < out_.groups.size(); ++g)
      if (out_.groups[g].name == word) excused_[g].assign(excused_[g].size(), true);
    if (word.empty()) scanner.take(scanner.text().substr(scanner.offset(), 1));
  }
}

void Connector::connect(const NetlistEntry& statement, int number) {
  statement_ = &statement;
  number_ = number;
  places_.push_back(statement.where);
  loops_.clear();
  Binding binding;
  try {
    binding = read_binding(statement.text);
  } catch (const SyntaxFault& syntax) {
    excuse_mentioned(statement.text);
    return fault(syntax.offset, syntax.message);
  }
  Side from, to;
  const bool found_from = find_side(binding.from, from);
  const bool found_to = find_side(binding.to, to);
  if (!found_from || !found_to || !check_fit(from, to)) return excuse_mentioned(statement.text);
  if (!find_loops(binding, from, to) || !check_names(from, to)) {
    excuse(from);
    excuse(to);
    return;
  }
  expand(from, to);
}

bool Connector::find_side(const BindingEnd& end, Side& side) {
  side.text = &end;
  const ResolvedGroup* group = resolver_.find_group(end.instance);
  if (group == nullptr) {
    const std::vector<std::string> names = resolver_.instance_names();
    if (std::find(names.begin(), names.end(), end.instance) != names.end())
      return false;  // the fault lies in its module
    fault(end.instance_offset, "no instance '" + end.instance + "'" + suggestion(end.instance, names));
    excuse_mentioned(nearest(end.instance, names));
    return false;
  }
  side.group = static_cast<int>(group - out_.groups.data());
  const std::vector<PortSpec>& ports = *group->base.ports;
  const auto port =
      std::find_if(ports.begin(), ports.end(), [&](const PortSpec& p) { return p.name == end.port; });
  if (port == ports.end()) {
    const std::vector<std::string> known = port_names(ports);
    std::string hint = suggestion(end.port, known);
    for (const PortSpec& p : ports)
      if (p.former == end.port) hint = "; it is called '" + p.name + "' now";
    fault(end.port_offset, group->name + " (" + std::string(group->kind->name) + ") has no socket '" +
                               end.port + "'" + (hint.empty() ? "; it has: " + comma_list(known) : hint));
    return false;
  }
  side.port = static_cast<int>(port - ports.begin());
  if (port->count == 0) {
    fault(end.port_offset, group->name + " (" + std::string(group->kind->name) + ") has no socket '" +
                               end.port + "' with these parameters: " + port->sentence);
    return false;
  }
  const bool index =
      add_index(end.index, group->count(), group->name + " has " + counted(group->count(), "instance"),
                group->name + "[i]." + end.port, end.instance_offset, side.index);
  const bool socket = add_index(end.socket, port->count,
                                group->name + "." + end.port + " has " + counted(port->count, "socket"),
                                group->name + "." + end.port + "[i]", end.port_offset, side.socket);
  return index && socket;
}

bool Connector::add_index(const std::optional<Expression>& written, int count, const std::string& what,
                          const std::string& example, std::size_t offset, Expression& index) {
  if (written) {
    index = *written;
    return true;
  }
  index = Expression::constant(0);
  if (count <= 1) return true;
  fault(offset, what + ": say which with an index, e.g. " + example);
  return false;
}

bool Connector::check_fit(const Side& from, const Side& to) {
  const PortSpec& a = spec(from);
  const PortSpec& b = spec(to);
  if (is_tlm(a.role) == is_tlm(b.role) && starts_connection(b.role) && !starts_connection(a.role)) {
    fault(0, "wrong direction: " + port_name(to) + " is " + role_with_article(b.role) + " and " +
                 port_name(from) + " " + role_with_article(a.role) + "; write " + to.text->text + " -> " +
                 from.text->text);
    return false;
  }
  if (!starts_connection(a.role) || starts_connection(b.role) || is_tlm(a.role) != is_tlm(b.role)) {
    fault(0,
          "wrong direction: a connection goes from an initiator to a target or from a control output to a "
          "control input; " +
              port_name(from) + " is " + role_with_article(a.role) + ", " + port_name(to) + " " +
              role_with_article(b.role));
    return false;
  }
  if (a.protocol != b.protocol) {
    fault(0, "protocol mismatch: " + port_name(from) + " speaks '" + a.protocol + "', " + port_name(to) +
                 " '" + b.protocol + "'");
    return false;
  }
  return true;
}

bool Connector::add_lone(const Expression& expression, int count, const std::string& what) {
  const std::string* name = expression.lone_name();
  if (name == nullptr) return true;
  for (Loop& loop : loops_) {
    if (loop.name != *name) continue;
    if (loop.is_explicit || loop.last == count - 1) return true;
    if (loop.last < loop.first) {
      loop.last = count - 1;
      loop.from = what;
      return true;
    }
    fault(expression.offset(), "count mismatch: index '" + *name + "' runs over the " +
                                   std::to_string(loop.last + 1) + " of " + loop.from + ", but there are " +
                                   std::to_string(count) + " of " + what + " (bind a part with '... for " +
                                   *name + " in 0.." +
                                   std::to_string(std::min<std::int64_t>(loop.last, count - 1)) + "')");
    return false;
  }
  return true;
}

bool Connector::constant(const Expression& expression, std::int64_t& value) {
  Bound bound;
  if (!prepare(expression, bound)) return false;
  const auto result = expression.evaluate(bound.values);
  if (!result) fault(expression.offset(), "'" + expression.text() + "' divides by zero or overflows");
  value = result.value_or(0);
  return result.has_value();
}

bool Connector::find_loops(const Binding& binding, const Side& from, const Side& to) {
  std::vector<Loop> given;
  for (const BindingRange& range : binding.ranges) {
    Loop loop{range.name, 0, -1, "for", true};
    if (!constant(range.first, loop.first) || !constant(range.last, loop.last)) return false;
    if (loop.first > loop.last || loop.first < 0) {
      fault(range.offset, "index '" + range.name + "' runs over nothing: " + std::to_string(loop.first) +
                              ".." + std::to_string(loop.last));
      return false;
    }
    const auto uses = [&](const Expression& e) {
      return std::any_of(e.names().begin(), e.names().end(),
                         [&](const auto& n) { return n.text == range.name; });
    };
    if (!uses(from.index) && !uses(from.socket) && !uses(to.index) && !uses(to.socket)) {
      fault(range.offset, "unused index '" + range.name + "': it stands in no brackets");
      return false;
    }
    given.push_back(std::move(loop));
  }
  loops_ = std::move(given);
  for (const Expression* expression : {&from.index, &from.socket, &to.index, &to.socket}) {
    for (const Expression::Name& name : expression->names()) {
      const auto known = [&](const Loop& loop) { return loop.name == name.text; };
      if (!name.is_reference() && std::none_of(loops_.begin(), loops_.end(), known))
        loops_.push_back({name.text, 0, -1, "", false});
    }
  }
  for (const Side* side : {&from, &to}) {
    const ResolvedGroup& group = out_.groups[static_cast<std::size_t>(side->group)];
    if (!add_lone(side->index, group.count(), group.name) ||
        !add_lone(side->socket, spec(*side).count, port_name(*side)))
      return false;
  }
  return true;
}

// Every loop needs a range and must appear on both sides, unless many control outputs share one input.
bool Connector::check_names(const Side& from, const Side& to) {
  const auto offset_on = [](const Side& side, const std::string& name) {
    for (const Expression* expression : {&side.index, &side.socket})
      for (const Expression::Name& used : expression->names())
        if (used.text == name) return static_cast<std::ptrdiff_t>(used.offset);
    return std::ptrdiff_t{-1};
  };
  std::int64_t total = 1;
  for (const Loop& loop : loops_) {
    const std::ptrdiff_t left = offset_on(from, loop.name), right = offset_on(to, loop.name);
    const auto offset = static_cast<std::size_t>(std::max(left >= 0 ? left : right, std::ptrdiff_t{0}));
    if (loop.last < loop.first) {
      const std::vector<std::string> names = resolver_.instance_names();
      const bool is_instance = std::find(names.begin(), names.end(), loop.name) != names.end();
      fault(offset, is_instance
                        ? "'" + loop.name + "' is an instance, no number; " + loop.name + ".count is one"
                        : "the range of index '" + loop.name +
                              "' cannot be determined: it stands alone in no "
                              "brackets; add '... for " +
                              loop.name + " in 0..LAST'");
      return false;
    }
    const bool many = loop.last > loop.first;
    if (many && (left < 0 || (right < 0 && spec(to).role != PortRole::control_in))) {
      fault(offset, "index '" + loop.name + "' stands on the " + (left < 0 ? "right" : "left") +
                        " only; one socket would be bound " + std::to_string(loop.last - loop.first + 1) +
                        " times");
      return false;
    }
    total *= loop.last - loop.first + 1;
    if (total > most_connections) {
      fault(0, "makes more than " + std::to_string(most_connections) + " connections");
      return false;
    }
  }
  return true;
}

namespace {

/// " in line 7", plus the file if it is another one; empty if the place is unknown.
std::string place_text(const SourcePosition& place, const SourcePosition& seen_from) {
  if (place.line == 0) return "";
  const std::string line = std::to_string(place.line);
  return place.file == seen_from.file ? " in line " + line : " in " + place.file + ":" + line;
}

}  // namespace

bool Connector::prepare(const Expression& expression, Bound& bound) {
  bound.expression = &expression;
  for (const Expression::Name& name : expression.names()) {
    bound.loops.push_back(-1);
    bound.values.push_back(0);
    if (name.is_reference()) {
      std::string problem;
      const auto value = resolver_.reference(name.text, problem);
      if (!value) {
        fault(name.offset, problem);
        return false;
      }
      bound.values.back() = *value;
      continue;
    }
    const auto loop =
        std::find_if(loops_.begin(), loops_.end(), [&](const Loop& l) { return l.name == name.text; });
    if (loop == loops_.end()) {
      fault(name.offset, "'" + name.text + "' has no value here; allowed: numbers and INSTANCE.PARAMETER");
      return false;
    }
    bound.loops.back() = static_cast<int>(loop - loops_.begin());
  }
  return true;
}

void Connector::expand(const Side& from, const Side& to) {
  std::vector<Bound> bounds(4);
  if (!prepare(from.index, bounds[0]) || !prepare(from.socket, bounds[1]) || !prepare(to.index, bounds[2]) ||
      !prepare(to.socket, bounds[3])) {
    excuse(from);
    excuse(to);
    return;
  }
  range_fault_given_ = double_fault_given_ = false;
  made_.clear();
  at_.clear();
  for (const Loop& loop : loops_) at_.push_back(loop.first);
  for (;;) {
    connect_once(from, to, bounds);
    std::size_t digit = loops_.size();
    while (digit > 0 && at_[digit - 1] == loops_[digit - 1].last) {
      at_[digit - 1] = loops_[digit - 1].first;
      --digit;
    }
    if (digit == 0) break;
    ++at_[digit - 1];
  }
  if (range_fault_given_) {
    excuse(from);
    excuse(to);
    return;
  }
  for (const ResolvedConnection& connection : made_) {
    mark_bound(connection.from);
    mark_bound(connection.to);
    out_.connections.push_back(connection);
  }
}

void Connector::connect_once(const Side& from, const Side& to, std::vector<Bound>& bounds) {
  for (Bound& bound : bounds)
    for (std::size_t i = 0; i < bound.loops.size(); ++i)
      if (bound.loops[i] >= 0) bound.values[i] = at_[static_cast<std::size_t>(bound.loops[i])];
  ResolvedConnection connection;
  const bool placed_from = place(from, bounds[0], bounds[1], connection.from);
  const bool placed_to = place(to, bounds[2], bounds[3], connection.to);
  if (!placed_from || !placed_to) return;
  connection.tlm = spec(from).role == PortRole::initiator;
  connection.binding = number_;
  made_.push_back(connection);
}

std::string Connector::loop_values() const {
  std::string text;
  for (std::size_t i = 0; i < loops_.size(); ++i)
    text += (i == 0 ? " (for " : ", ") + loops_[i].name + " = " + std::to_string(at_[i]);
  return text.empty() ? text : text + ")";
}

bool Connector::place(const Side& side, Bound& index, Bound& socket, ResolvedEnd& end) {
  const ResolvedGroup& group = out_.groups[static_cast<std::size_t>(side.group)];
  const auto check = [&](const Bound& bound, int count, const std::string& what, const std::string& things,
                         int& out) {
    const auto value = bound.expression->evaluate(bound.values);
    if (value && *value >= 0 && *value < count) {
      out = static_cast<int>(*value);
      return true;
    }
    if (!range_fault_given_ && !resolver_.doubtful(group.name)) {
      const std::string shown = what + "[" + bound.expression->text() + "]";
      fault(bound.expression->offset(),
            value ? "index out of range: " + shown + " becomes " + std::to_string(*value) + loop_values() +
                        "; " + what + " has " + counted(count, things) +
                        (count > 0 ? " (0 to " + std::to_string(count - 1) + ")" : std::string())
                  : shown + " divides by zero or overflows" + loop_values());
    }
    range_fault_given_ = true;
    return false;
  };
  end.group = side.group;
  end.port = side.port;
  if (!check(index, group.count(), group.name, "instance", end.index)) return false;
  const auto& ports = *group.members[static_cast<std::size_t>(end.index)].ports;
  const std::string name =
      spec(side).name;  // an override may have changed the number of sockets, or of groups
  const auto port =
      std::find_if(ports.begin(), ports.end(), [&](const PortSpec& p) { return p.name == name; });
  end.port = static_cast<int>(port - ports.begin());
  const int count = port == ports.end() ? 0 : port->count;
  return check(socket, count,
               group.name + (group.count() > 1 ? "[" + std::to_string(end.index) + "]" : "") + "." + name,
               "socket", end.socket);
}

void Connector::mark_bound(const ResolvedEnd& end) {
  int& by = bound_[static_cast<std::size_t>(end.group)][static_cast<std::size_t>(end.index)]
                  [static_cast<std::size_t>(end.port)][static_cast<std::size_t>(end.socket)];
  if (out_.port(end).role == PortRole::control_in) {  // any number of callers
    by = number_;
    return;
  }
  if (by >= 0 && !double_fault_given_) {
    double_fault_given_ = true;
    const SourcePosition& first = places_[static_cast<std::size_t>(by)];
    std::string text = "double binding: " + out_.text(end) + " is already bound";
    if (by != number_)
      text +=
          " by '" + out_.bindings[static_cast<std::size_t>(by)] + "'" + place_text(first, statement_->where);
    else
      text += " by this statement";
    fault(0, text);
  }
  by = number_;
}

void Connector::check_all_bound() {
  for (std::size_t g = 0; g < out_.groups.size(); ++g) {
    const ResolvedGroup& group = out_.groups[g];
    if (resolver_.doubtful(group.name)) continue;
    for (std::size_t p = 0; p < group.base.ports->size(); ++p) {
      const PortSpec& spec = (*group.base.ports)[p];
      if (!spec.optional && !excused_[g][p]) check_bound(static_cast<int>(g), spec.name);
    }
  }
}

void Connector::check_bound(int number, const std::string& name) {
  const ResolvedGroup& group = out_.groups[static_cast<std::size_t>(number)];
  int missing = 0, all = 0;
  ResolvedEnd example;
  for (int m = 0; m < group.count(); ++m) {
    const auto& ports = *group.members[static_cast<std::size_t>(m)].ports;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      if (ports[p].name != name) continue;
      const std::vector<int>& sockets =
          bound_[static_cast<std::size_t>(number)][static_cast<std::size_t>(m)][p];
      all += static_cast<int>(sockets.size());
      for (std::size_t s = 0; s < sockets.size(); ++s)
        if (sockets[s] < 0 && missing++ == 0) example = {number, m, static_cast<int>(p), static_cast<int>(s)};
    }
  }
  if (missing == 0) return;
  std::string text = "unbound socket: " + out_.text(example) + " is bound to nothing";
  if (missing > 1)
    text += " (" + std::to_string(missing) + " of the " + std::to_string(all) + " sockets of " + group.name +
            "." + name + ")";
  resolver_.fault(group.where, text);
}

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
