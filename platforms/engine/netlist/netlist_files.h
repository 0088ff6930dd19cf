#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/netlist.h"

namespace strata::platforms {

/// The files that a netlist was read from, without empty ones.
std::vector<std::string> files_of(const Netlist& netlist);

}  // namespace strata::platforms
