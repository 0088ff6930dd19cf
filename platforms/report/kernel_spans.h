#pragma once

#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// When each kernel ran: a line a kernel, application after application, in the order of their starts. A
/// kernel that `end` cut off is not complete. `sources`: of each application.
std::string kernels_csv(const Platform& platform, const std::vector<InstructionSource*>& sources, Cycle end);

}  // namespace strata::platforms
