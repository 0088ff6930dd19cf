#pragma once

#include "models/common/params.h"

namespace strata {

constexpr int most_ways = 64;

/// Faults of a cache whose size is no whole number of sets, or too many. They name the change that keeps the
/// size before the one that keeps the ways. Parameters are called size, ways and line.
Faults check_geometry(Bytes size, int ways, Bytes line);

}  // namespace strata
