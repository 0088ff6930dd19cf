#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "platforms/netlist/resolved_netlist.h"
#include "platforms/report/recorded_counts.h"

namespace strata::platforms {

/// Bytes in a core cycle that all DRAM channels move at most.
std::optional<double> memory_peak(const ResolvedNetlist& netlist);

/// The roofs of a machine and what a run did below them: thread instructions that all SMs can issue in a core
/// cycle, and of each level of memory its peak bytes in a core cycle and the bytes that the run moved there.
/// Levels whose peak or bytes are not known are left out.
nlohmann::ordered_json machine_roofs(const ResolvedNetlist& netlist, const RecordedCounts& counts);

}  // namespace strata::platforms
