#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/engine/pool/run_identity.h"
#include "platforms/studies/sweep/database.h"

namespace strata::platforms {

/// One run of a sweep.
struct SweepPoint {
  std::string name;
  std::vector<std::string> values;  ///< in the order of SweepPlan::keys
  std::vector<std::string> arguments;
  RunIdentity identity;

  const std::string& platform() const { return values[0]; }
  const std::string& variant() const { return values[1]; }
  const std::string& workload() const { return values[2]; }
  const std::string& seed() const { return values[3]; }
  /// Name of its results directory.
  std::string folder() const { return name + "-" + identity.key.substr(0, 8); }
};

/// The runs of a sweep, each with a unique name.
struct SweepPlan {
  std::string name, file, text;
  std::vector<std::string> keys;     ///< platform, variant, workload, seed, and those of --set
  std::vector<std::string> figures;  ///< shown in its table
  std::vector<SweepPoint> points;
  std::vector<std::string> notes;  ///< effects of the seeds, one line each

  /// The keys with more than one value.
  std::vector<std::size_t> varying() const;
};

constexpr std::size_t most_points = 100'000;

/// Reads FILE.yaml (docs/guide/sweep.md) and generates its points. `program`: program_identity(). Throws
/// ConfigError with every fault: in the file, in netlists and workloads, two points of one name, more points
/// than `most`.
SweepPlan read_sweep(const std::string& file, const std::string& program, std::size_t most = most_points);

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
