#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/noc/noc_experiment.h"

namespace strata::platforms {

/// A line of points in a plot of latency against load. Points with a latency of 0 are left out.
struct NocCurve {
  std::string name;  ///< in the legend; empty = not there
  std::string colour;
  bool marks = false;  ///< circles instead of a line
  std::vector<NocPoint> points;
  bool from_queue = false;  ///< with the wait in front of the network; its knee is marked
};

/// The load at which a packet takes three times as long, from its making on, as at the lowest load of the
/// points: where queues begin to grow without end. Between two points a straight line. Empty: it does not
/// come to that.
std::optional<double> knee_of(const std::vector<NocPoint>& points);

/// Mean latency against offered load, as an SVG picture. Latencies beyond `ceiling` are cut off; 0 =
/// chosen from the points.
std::string plot_latency(const std::string& title, const std::vector<NocCurve>& curves, double ceiling = 0);

}  // namespace strata::platforms
