#include "tb/contract/test_bench.h"

#include <algorithm>
#include <map>

#include "platforms/engine/netlist/param_table.h"
#include "tb/contract/stub_peers.h"

namespace strata::contract {
namespace {

using platforms::Netlist;

constexpr int most_instances = 400;
constexpr int most_sockets = 2000;

/// Instances of one name.
struct Level {
  std::string name;
  const ModuleKind* kind;
  int count;
  Settings settings;
  std::vector<PortSpec> ports;
};

/// A socket of the machine.
struct Socket {
  std::string text;
  const Level* level;
  const PortSpec* port;
};

std::vector<Socket> sockets_of(const Level& level, PortRole role) {
  std::vector<Socket> sockets;
  for (int i = 0; i < level.count; ++i)
    for (const PortSpec& port : level.ports)
      for (int s = 0; port.role == role && s < port.count; ++s)
        sockets.push_back(
            {level.name + "[" + std::to_string(i) + "]." + port.name + "[" + std::to_string(s) + "]", &level,
             &port});
  return sockets;
}

/// Those that requests pass.
std::vector<Socket> ways_of(const Level& level, PortRole role) {
  std::vector<Socket> sockets = sockets_of(level, role);
  sockets.erase(std::remove_if(sockets.begin(), sockets.end(),
                               [](const Socket& socket) { return socket.port->protocol != "tlm"; }),
                sockets.end());
  return sockets;
}

int size_of(const std::vector<Socket>& sockets) {
  return static_cast<int>(sockets.size());
}

int sockets_with(const std::vector<PortSpec>& ports, PortRole role, const std::string& protocol) {
  int count = 0;
  for (const PortSpec& port : ports)
    if (port.role == role && port.protocol == protocol) count += port.count;
  return count;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

const Neighbour& place_of(const ModuleKind& kind) {
  if (kind.role == Role::none)
    throw CannotSurround("the module " + quoted(kind.name) +
                         " has no role, so that nothing says where in a machine it stands: give it one of "
                         "models/tlm/module_kind.h");
  if (const Neighbour* row = neighbour(kind.role)) return *row;
  throw CannotSurround("the module " + quoted(kind.name) + " has the role " + quoted(to_text(kind.role)) +
                       ", which has no row in the table of tb/contract/stub_peers.cpp: add what stands "
                       "there, and the role to way() if requests pass it");
}

/// Those of the settings whose parameters the module has.
Settings known_to(const ModuleKind& kind, const Settings& settings) {
  Settings known;
  const auto params = kind.new_params();
  for (const platforms::ParamRow& row : platforms::list_params(*params))
    for (const auto& setting : settings)
      if (setting.first == row.name) known.push_back(setting);
  return known;
}

class Builder {
 public:
  Builder(const ModuleKind& kind, const Settings& settings, const Shape& shape, const ModuleTable& modules,
          const Settings& drive)
      : kind_(kind), settings_(with_start(kind, settings)), shape_(shape), modules_(modules), drive_(drive) {}

  Netlist build() {
    if (kind_.role == Role::control)
      around_control();
    else if (kind_.role == Role::observer)
      beside_slices();
    else
      along_the_way();
    if (shape_.control) add_control();
    return netlist();
  }

 private:
  Level level(const ModuleKind& kind, std::string name, int count, Settings settings) const {
    if (count > most_instances)
      throw TooLarge("it would take " + std::to_string(count) + " instances of " + std::string(kind.name));
    std::vector<PortSpec> ports = ports_with(kind, settings);
    int sockets = 0;
    for (const PortSpec& port : ports) sockets += port.count * count;
    if (sockets > most_sockets)
      throw TooLarge("it would take " + std::to_string(sockets) + " sockets of " + std::string(kind.name));
    return {std::move(name), &kind, count, std::move(settings), std::move(ports)};
  }
  Level other(const Neighbour& row, Size size, std::string name = {}) const {
    const ModuleKind* kind = platforms::find_module(platforms::built_in_modules(), row.module);
    if (kind == nullptr) throw CannotSurround("no module is called " + quoted(row.module));
    if (row.role == Role::generator) size.settings.insert(size.settings.end(), drive_.begin(), drive_.end());
    return level(*kind, name.empty() ? std::string(to_text(row.role)) : name, size.count,
                 std::move(size.settings));
  }
  Level subject(int count) const {
    Settings settings = settings_;
    const Settings drive = known_to(kind_, drive_);
    if (kind_.role == Role::generator) settings.insert(settings.begin(), drive.begin(), drive.end());
    return level(kind_, std::string(to_text(kind_.role)), count, std::move(settings));
  }

  void along_the_way() {
    const auto at = std::find(way().begin(), way().end(), kind_.role);
    levels_.push_back(subject(place_of(kind_).copies));
    if (at != way().end() && ways_of(levels_[0], PortRole::target).empty())
      throw CannotSurround("the module " + quoted(kind_.name) + " has the role " +
                           quoted(to_text(kind_.role)) +
                           " but no target socket of the protocol 'tlm': nothing can ask it anything");
    if (at != way().end())
      for (auto before = at; before != way().begin();) serve(*--before);
    drive();
    if (kind_.role == Role::dispatcher) {
      const int clusters = sockets_with(levels_.back().ports, PortRole::control_out, "CtaLaunchIf");
      const Neighbour& row = *neighbour(Role::sm);
      levels_.push_back(other(row, row.take(std::max(1, clusters))));
    }
    for (auto next = at == way().end() ? way().begin() : at + 1; next != way().end(); ++next) take(*next);
  }
  void serve(Role role) {
    const Neighbour& row = *neighbour(role);
    levels_.insert(levels_.begin(), other(row, row.serve(size_of(ways_of(levels_[0], PortRole::target)))));
  }
  void take(Role role) {
    const int sockets = size_of(ways_of(levels_.back(), PortRole::initiator));
    if (sockets != 0) levels_.push_back(other(*neighbour(role), neighbour(role)->take(sockets)));
  }
  /// What sends requests, where the module is not that itself.
  void drive() {
    if (kind_.role == Role::generator || kind_.role == Role::dispatcher) return;
    if (kind_.role != Role::sm) {
      int sockets = size_of(ways_of(levels_[0], PortRole::target));
      if (shape_.shared) {
        const Neighbour& row = *neighbour(Role::router);
        Size size = row.serve(sockets);
        size.settings.push_back({"route", "line"});
        levels_.insert(levels_.begin(), other(row, size, "near"));
        sockets = size_of(ways_of(levels_[0], PortRole::target));
      }
      const Neighbour& row = *neighbour(shape_.traffic ? Role::generator : Role::sm);
      levels_.insert(levels_.begin(), other(row, row.serve(sockets)));
    }
    dispatch();
  }
  void dispatch() {
    if (levels_[0].kind->role != Role::sm) return;
    const std::string clusters = std::to_string(levels_[0].count);
    levels_.insert(levels_.begin(), other(*neighbour(Role::dispatcher), {1, {{"clusters", clusters}}}));
  }

  /// It looks at slices, and nothing passes it.
  void beside_slices() {
    const Neighbour& slices = *neighbour(Role::llc);
    levels_.push_back(other(slices, {slices.copies, {}}));
    serve(Role::router);
    serve(Role::l1);
    drive();
    for (const Role role : {Role::memory, Role::channel}) take(role);
    levels_.push_back(subject(1));
  }

  /// Two stages of routers, of which the second can be gated.
  void around_control() {
    const Level control = subject(1);
    const int routers = std::max(1, sockets_with(control.ports, PortRole::control_in, "organization"));
    const int slices = std::max(1, sockets_with(control.ports, PortRole::control_out, "SliceControlIf"));
    const int wanted = sockets_with(control.ports, PortRole::control_out, "RouterControlIf");
    const int gates = wanted != 0 && slices % wanted == 0 ? wanted : 1;
    const auto size = [](int count, int inputs, int outputs, int divide) {
      return Size{count,
                  {{"inputs", std::to_string(inputs)},
                   {"outputs", std::to_string(outputs)},
                   {"divide", std::to_string(divide)}}};
    };
    const Neighbour& router = *neighbour(Role::router);
    levels_.push_back(other(router, size(routers, 2, gates, slices / gates)));
    serve(Role::l1);
    const Neighbour& driver = *neighbour(shape_.traffic ? Role::generator : Role::sm);
    const std::pair<std::string, std::string> two = {shape_.traffic ? "ports" : "sms", "2"};
    levels_.insert(levels_.begin(), other(driver, {routers, {two}}));
    dispatch();
    levels_.push_back(other(router, size(gates, routers, slices / gates, 1), "gate"));
    transposed_ = "gate";
    for (const Role role : {Role::llc, Role::memory, Role::channel}) take(role);
    levels_.push_back(control);
  }
  void add_control() {
    const auto count = [&](Role role) {
      int sum = 0;
      for (const Level& level : levels_) sum += level.kind->role == role ? level.count : 0;
      return std::to_string(std::max(1, sum));
    };
    levels_.push_back(
        other(*neighbour(Role::control),
              {1, {{"routers", "1"}, {"slices", count(Role::llc)}, {"clusters", count(Role::sm)}}}));
  }

  Netlist netlist() const {
    Netlist netlist("a machine around " + std::string(kind_.name), modules_);
    netlist.add_clock("core", "1400 MHz").add_clock("noc", "1400 MHz").add_clock("dram", "924 MHz");
    int slices = 1, controllers = 1;
    for (const Level& level : levels_) {
      netlist.add_instance(level.name, std::string(level.kind->name), level.count);
      for (const auto& [name, value] : level.settings) netlist.set_param(level.name + "." + name, value);
      if (level.kind->role == Role::llc) slices = level.count;
      if (level.kind->role == Role::memory) controllers = level.count;
    }
    netlist.set_param("address_map.channels", controllers);
    netlist.set_param("address_map.slices_per_channel", std::max(1, slices / controllers));
    bind_ways(netlist);
    bind_controls(netlist);
    return netlist;
  }

  void bind_ways(Netlist& netlist) const {
    const Level* last = nullptr;
    for (const Level& level : levels_) {
      const std::vector<Socket> to = ways_of(level, PortRole::target);
      if (last != nullptr && !to.empty()) {
        const std::vector<Socket> from = ways_of(*last, PortRole::initiator);
        if (from.size() != to.size())
          throw CannotSurround(last->name + " has " + std::to_string(from.size()) +
                               " initiator sockets, and " + level.name + " behind it " +
                               std::to_string(to.size()) +
                               " target sockets; add to tb/contract/stub_peers.cpp what fits between them");
        const auto rows = static_cast<std::size_t>(last->count), columns = from.size() / rows;
        for (std::size_t i = 0; i < from.size(); ++i) {
          const std::size_t other = level.name == transposed_ ? i % columns * rows + i / columns : i;
          netlist.bind(from[i].text + " -> " + to[other].text);
        }
      }
      if (!ways_of(level, PortRole::initiator).empty()) last = &level;
    }
  }

  /// Each protocol's outputs to its inputs. Where there are fewer of one kind, the first outputs ask and the
  /// last inputs are asked: of two stages of routers the first asks which slice, the second can be gated.
  void bind_controls(Netlist& netlist) const {
    std::map<std::string, std::pair<std::vector<Socket>, std::vector<Socket>>> by_protocol;
    for (const Level& level : levels_) {
      for (Socket& out : sockets_of(level, PortRole::control_out))
        if (out.port->follows.empty()) by_protocol[out.port->protocol].first.push_back(out);
      for (Socket& in : sockets_of(level, PortRole::control_in))
        by_protocol[in.port->protocol].second.push_back(in);
    }
    for (auto& [protocol, ends] : by_protocol) {
      auto& [outs, ins] = ends;
      const std::size_t count = std::min(outs.size(), ins.size());
      for (std::size_t i = 0; i < count; ++i)
        netlist.bind(outs[i].text + " -> " + ins[ins.size() - count + i].text);
      for (std::size_t i = count; i < outs.size(); ++i) require_optional(outs[i]);
      for (std::size_t i = count; i < ins.size(); ++i) require_optional(ins[i - count]);
    }
  }
  void require_optional(const Socket& socket) const {
    if (socket.port->optional || !socket.port->follows.empty() || socket.level->kind != &kind_) return;
    throw CannotSurround("the control socket " + quoted(socket.port->name) + " of the module " +
                         quoted(kind_.name) + ", protocol " + quoted(socket.port->protocol) +
                         ", has to be bound, and no stub peer has its other end: add one to "
                         "tb/contract/stub_peers.cpp and to the machine of tb/contract/test_bench.cpp");
  }

  const ModuleKind& kind_;
  const Settings settings_;
  const Shape shape_;
  const ModuleTable& modules_;
  const Settings drive_;
  std::vector<Level> levels_;
  std::string transposed_;
};

bool serves(const std::vector<PortSpec>& ports, std::string_view protocol) {
  return std::any_of(ports.begin(), ports.end(), [&](const PortSpec& p) { return p.protocol == protocol; });
}

}  // namespace

std::string to_text(const Shape& shape) {
  std::string text = shape.traffic ? "random traffic" : "kernels";
  if (shape.shared) text += ", behind a network";
  if (shape.control) text += ", with an LLC control";
  return text;
}

std::unique_ptr<ParamSet> params_with(const ModuleKind& kind, const Settings& settings) {
  auto params = kind.new_params();
  platforms::NetlistSection section;
  for (const auto& [name, value] : settings) section.set({name, value, {}, {}, false});
  Faults ignored;
  platforms::read_params(
      *params, section, {}, [](const auto&, auto&) { return std::nullopt; }, ignored);
  return params;
}

std::vector<PortSpec> ports_with(const ModuleKind& kind, const Settings& settings) {
  return kind.ports(*params_with(kind, settings));
}

Settings with_start(const ModuleKind& kind, const Settings& settings) {
  Settings all = known_to(kind, place_of(kind).start);
  all.insert(all.end(), settings.begin(), settings.end());
  return all;
}

platforms::Netlist surround(const ModuleKind& kind, const Settings& settings, const Shape& shape,
                            const ModuleTable& modules, const Settings& drive) {
  return Builder(kind, settings, shape, modules, drive).build();
}

std::vector<Shape> shapes_for(const ModuleKind& kind) {
  place_of(kind);
  std::vector<Shape> shapes;
  const std::vector<PortSpec> ports = ports_with(kind, with_start(kind, {}));
  const bool drives = kind.role == Role::generator;
  const bool runs_kernels = kind.role == Role::sm || kind.role == Role::dispatcher;
  for (const bool traffic : {false, true}) {
    if (traffic ? runs_kernels : drives) continue;
    Shape shape{traffic, false, false};
    shapes.push_back(shape);
    shape.shared = true;
    if (kind.role == Role::l1) shapes.push_back(shape);
    shape.shared = false;
    shape.control = true;
    const bool asks =
        serves(ports, "organization") || serves(ports, "SliceControlIf") || serves(ports, "KernelBoundaryIf");
    if (kind.role != Role::control && asks) shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace strata::contract
