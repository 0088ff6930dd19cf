#pragma once

#include <nlohmann/json_fwd.hpp>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// What a page needs to draw a machine and colour it by what a run did: groups with their stage and the load
/// of each instance, the links between them with what they can carry and what they carried, and the peaks of
/// a roofline. `stats`: of the run, as read_results() gives them; bytes and cycles are of the core clock.
nlohmann::ordered_json page_machine(const ResolvedNetlist& netlist, const nlohmann::ordered_json& stats);

}  // namespace strata::platforms
