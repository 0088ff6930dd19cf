#pragma once

#include "platforms/engine/netlist/module_table.h"

namespace strata::tb {

/// Four small modules with every kind of parameter and socket, for tests of the netlist engine:
/// toy_source (initiators), toy_router (targets, initiators, a control output), toy_sink (one target, one
/// optional initiator) and toy_control (one control input).
const platforms::ModuleTable& toy_modules();

}  // namespace strata::tb
