#pragma once

#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/engine/netlist/platform.h"

// Tables of single modules of any kind: each asks modules for an interface. An empty table: no module has it.
namespace strata::platforms {

/// When each kernel ran: one line per kernel, application after application, in the order of their starts. A
/// kernel cut off at `end` is not complete. `sources`: of each application.
std::string kernels_csv(const Platform& platform, const std::vector<InstructionSource*>& sources, Cycle end);

/// Decisions of the LLC's organization, with times and reasons: one line for each organization compared.
/// Empty if it decides nothing.
std::string llc_choices_csv(const Platform& platform);

/// Accesses of each SM to each DC-L1 node when several applications run: one line for each pair with
/// accesses. Empty if no node distinguishes requesters.
std::string requesters_csv(const Platform& platform);

/// Counters of the contention trackers of a platform: one line for each pair of kernels with a count. Empty
/// if there is no tracker.
std::string contention_csv(const Platform& platform);

}  // namespace strata::platforms
