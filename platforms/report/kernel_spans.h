#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/platform.h"
#include "traces/source.h"

namespace strata::platforms {

/// When each kernel ran: a line a kernel, application after application, in the order of their starts. A
/// kernel that `end` cut off is not complete. `sources`: of each application.
std::string kernels_csv(const Platform& platform, const std::vector<traces::InstructionSource*>& sources,
                        Cycle end);

}  // namespace strata::platforms
