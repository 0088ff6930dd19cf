#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platforms/engine/netlist/netlist.h"

namespace strata::contract {

using platforms::ModuleTable;
/// Parameters of one instance with their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What a machine around a module under test looks like.
struct Shape {
  bool traffic = false;  ///< random traffic in place of dispatcher and SMs
  bool shared = false;   ///< a router between the SMs and the L1s
  bool control = false;  ///< an LLC control at the control sockets
};

/// In words, for messages.
std::string to_text(const Shape& shape);

/// The harness does not know what to put around a module: the message says what to add where.
struct CannotSurround : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The module asks for more stub_peers than are worth building.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A complete machine around `kind` with these parameters, made from its role and the sockets that it then
/// declares. The instance of the module is called as its role: "l1.ways" is a parameter of it. `drive` are
/// parameters of the traffic generator. Throws CannotSurround, TooLarge, and ConfigError as any netlist.
platforms::Netlist surround(const ModuleKind& kind, const Settings& settings, const Shape& shape,
                            const ModuleTable& modules, const Settings& drive = {});

/// The shapes in which a module is tried: those that its role and its sockets allow. Never empty; throws
/// CannotSurround.
std::vector<Shape> shapes_for(const ModuleKind& kind);

/// The parameters of a module with these values, and the sockets that it then has; values that it refuses do
/// not count.
std::unique_ptr<ParamSet> params_with(const ModuleKind& kind, const Settings& settings);
std::vector<PortSpec> ports_with(const ModuleKind& kind, const Settings& settings);

/// `settings`, and before them what a module of its role is given in a small machine, as far as it has such
/// parameters.
Settings with_start(const ModuleKind& kind, const Settings& settings);

}  // namespace strata::contract
