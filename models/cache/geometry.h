#pragma once

#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata {

constexpr int most_ways = 64;

/// Faults of a cache whose size is no whole number of sets, or too many. They name the change that keeps the
/// size before the one that keeps the ways; or of one whose number of sets its index is not defined for.
/// Parameters are called size, ways, line and set_index.
Faults check_geometry(Bytes size, int ways, Bytes line, SetIndex::Kind index);

}  // namespace strata
