#pragma once

#include <string>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// What the LLC's organization decided, when and on what grounds: a line for each organization compared.
/// Empty when it decides nothing.
std::string llc_choices_csv(const Platform& platform);

}  // namespace strata::platforms
