#pragma once

#include <string>

#include "platforms/report/timing_report.h"

namespace strata::platforms {

/// Error and speed of random traffic against its load, a curve a platform: an SVG picture.
std::string plot_loads(const TimingSamples& samples);

}  // namespace strata::platforms
