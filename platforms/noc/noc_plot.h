#pragma once

#include <string>
#include <vector>

#include "platforms/noc/noc_experiment.h"

namespace strata::platforms {

/// A line of points in a plot of latency against load. Points with a latency of 0 are left out.
struct NocCurve {
  std::string name;  ///< in the legend; empty = not there
  std::string colour;
  bool marks = false;  ///< circles instead of a line
  std::vector<NocPoint> points;
};

/// Mean net latency against offered load, as an SVG picture. Latencies beyond `ceiling` are cut off; 0 =
/// chosen from the points.
std::string plot_latency(const std::string& title, const std::vector<NocCurve>& curves, double ceiling = 0);

}  // namespace strata::platforms
