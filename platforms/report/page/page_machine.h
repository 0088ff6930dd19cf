#pragma once

#include <nlohmann/json_fwd.hpp>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The data that a page needs to draw a machine and colour it by load: groups with their stage and the load
/// of each instance, the links with their peak and traffic, and the peaks of a roofline. `stats`: of the run,
/// as read_results() returns them; bytes and cycles refer to the core clock.
nlohmann::ordered_json page_machine(const ResolvedNetlist& netlist, const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
