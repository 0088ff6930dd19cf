#pragma once

#include <string>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// What the contention trackers of a platform have counted: a line for each pair of kernels of which
/// something was counted. Empty when there is no tracker.
std::string contention_csv(const Platform& platform);

}  // namespace strata::platforms
