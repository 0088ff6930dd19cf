#pragma once

#include <string>

#include "platforms/report/timing_report.h"

namespace strata::platforms {

/// Error and speed of random traffic against its load, one curve per platform: an SVG picture.
std::string plot_loads(const TimingSamples& samples);

}  // namespace strata::platforms
