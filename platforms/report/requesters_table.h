#pragma once

#include <string>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// What each SM asked of each DC-L1 node when several applications run: a line for each pair with accesses.
/// Empty when nobody told requesters apart.
std::string requesters_csv(const Platform& platform);

}  // namespace strata::platforms
