#pragma once

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Conditions at the end of a complete run: laws of the counters, equal counts on both sides of every hop,
/// every block empty.
Faults check_end(const Platform& platform, const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
