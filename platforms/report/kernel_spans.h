#pragma once

#include <string>

#include "platforms/netlist/platform.h"
#include "traces/source.h"

namespace strata::platforms {

/// When each kernel ran: a line a kernel, in the order of their starts. A kernel that `end` cut off is not
/// complete.
std::string kernels_csv(const Platform& platform, const traces::InstructionSource& source, Cycle end);

}  // namespace strata::platforms
