#include <algorithm>

#include "platforms/engine/netlist/connector.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
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

}  // namespace strata::platforms
