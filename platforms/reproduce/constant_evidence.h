#pragma once

#include <vector>

#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// Whether the figure of a claim is worked out with the constants of energy and area.
bool stands_on_constants(const Claim& claim, const Paper& paper);

/// For every claim about energy or area that is not within its tolerance: its figure with a family of
/// constants at their low and at their high values, the others at their nominal ones.
void trace_to_constants(std::vector<ClaimResult>& results, Measurements& measurements);

}  // namespace strata::platforms
