#include "platforms/engine/netlist/connector.h"

#include <algorithm>

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

}  // namespace strata::platforms
