#pragma once

#include <string>
#include <vector>

#include "models/llc_predictors/headroom.h"

namespace strata::platforms {

/// What the LLC could gain at best on a recorded stream: hit rate, slice parallelism and bandwidth with LRU
/// at every degree of replication, with OPT and with infinite capacity, then how many clusters and SMs
/// share lines within a window.
std::string headroom_report(const std::vector<LlcLookup>& stream, const HeadroomParams& params);

}  // namespace strata::platforms
