#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/studies/sweep/constraint.h"

namespace strata::platforms {

/// The contents of a sweep file, before its points are generated.
struct SweepFile {
  struct Variant {
    std::string name;
    std::vector<std::string> arguments;  ///< --with and --set
  };
  struct Program {
    std::string name;
    std::vector<std::string> arguments;  ///< --workload or --trace
  };
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };

  std::string path, text, name;
  std::vector<std::string> platforms;
  std::vector<Variant> variants;
  std::vector<Program> programs;
  std::vector<std::uint64_t> seeds;
  std::vector<Axis> axes;
  std::vector<std::string> options;  ///< for every run
  std::vector<Constraint> only;
  std::string point;  ///< `{platform}-{l1.ways}`; empty: all that varies
  std::vector<std::string> figures;

  std::vector<std::string> keys() const;
  /// Throws ConfigError with every fault.
  static SweepFile load(const std::string& path);
};

constexpr std::uint64_t most_combinations = 10'000'000;

}  // namespace strata::platforms
