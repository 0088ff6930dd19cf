#pragma once

#include <optional>

#include "platforms/studies/reproduce/bar_chart.h"
#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// The bars of a chart from measured values; configurations that cannot run yet are left out. Empty if there
/// is nothing to draw.
std::optional<BarChart> bars_of(const Chart& chart, Measurements& measurements,
                                const std::vector<ClaimResult>& claims);

}  // namespace strata::platforms
