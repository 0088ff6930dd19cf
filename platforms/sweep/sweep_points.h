#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/sweep/database.h"

namespace strata::platforms {

/// What varies in a sweep, or does not: `platform`, `variant`, `workload`, `seed`, and the keys under `set`.
struct SweepDimension {
  std::string key;
  std::vector<std::string> values;  ///< in the order of the points
  std::vector<int> of;              ///< of each point the number of its value; -1: it has none
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

/// Opens a sweep's file; `path` may be its folder. Throws ConfigError when it is damaged or no sweep of this
/// version.
Database open_sweep(const std::string& path);

/// Throws ConfigError when no point is planned.
SweepPoints read_points(const Database& file);

}  // namespace strata::platforms
