#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/studies/sweep/database.h"

namespace strata::platforms {

/// A dimension of a sweep, varied or not: `platform`, `variant`, `workload`, `seed`, and the keys under
/// `set`.
struct SweepDimension {
  std::string key;
  std::vector<std::string> values;  ///< in the order of the points
  std::vector<int> of;              ///< index of the value of each point; -1: it has none
};

/// The planned points of a sweep's file, in its order.
struct SweepPoints {
  struct Point {
    std::int64_t id;
    std::string name, state, message, arguments, results;
  };
  std::vector<Point> points;
  std::vector<SweepDimension> dimensions;  ///< in the order of the sweep's file
};

/// Opens a sweep's file; `path` may be its folder. Throws ConfigError if it is damaged or not a sweep of this
/// version.
Database open_sweep(const std::string& path);

/// Throws ConfigError if no point is planned.
SweepPoints read_points(const Database& file);

}  // namespace strata::platforms
