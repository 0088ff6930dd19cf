#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/report/recorded_counts.h"

namespace strata::platforms {

/// Peak bytes per core cycle of all DRAM channels.
std::optional<double> memory_peak(const ResolvedNetlist& netlist);

/// The roofs of a machine and the points of a run: the thread instructions that all SMs can issue per core
/// cycle, and for each memory level its peak bytes per core cycle and the bytes that the run moved there.
/// Levels with unknown peak or bytes are left out.
nlohmann::ordered_json machine_roofs(const ResolvedNetlist& netlist, const RecordedCounts& counts);

}  // namespace strata::platforms
