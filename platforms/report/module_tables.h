#pragma once

#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/netlist/platform.h"

// Tables of what single modules know, whatever they are: each asks for an interface. Empty: no module has it.
namespace strata::platforms {

/// When each kernel ran: a line a kernel, application after application, in the order of their starts. A
/// kernel that `end` cut off is not complete. `sources`: of each application.
std::string kernels_csv(const Platform& platform, const std::vector<InstructionSource*>& sources, Cycle end);

/// What the LLC's organization decided, when and on what grounds: a line for each organization compared.
/// Empty when it decides nothing.
std::string llc_choices_csv(const Platform& platform);

/// What each SM asked of each DC-L1 node when several applications run: a line for each pair with accesses.
/// Empty when nobody told requesters apart.
std::string requesters_csv(const Platform& platform);

/// What the contention trackers of a platform have counted: a line for each pair of kernels of which
/// something was counted. Empty when there is no tracker.
std::string contention_csv(const Platform& platform);

}  // namespace strata::platforms
