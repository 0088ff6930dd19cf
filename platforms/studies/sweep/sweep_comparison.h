#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/report/compare.h"
#include "platforms/studies/sweep/sweep_plan.h"

namespace strata::platforms {

/// Speed-up over the baseline: 1.07 is 7 % faster.
struct SpeedUp {
  double ratio = 1;
  std::optional<double> half;    ///< half of its 95 % interval, from pairs of equal seeds; empty: one seed
  double least = 1, most = 1;    ///< over the combinations of the other dimensions
  std::size_t combinations = 0;  ///< of the other dimensions
  bool within_noise() const { return half && ratio - *half <= 1 && ratio + *half >= 1; }
};

/// Value of each dimension except workload and seed, in their order; -1: none.
using SweepConfiguration = std::vector<int>;

/// A sweep's runs compared with those that have one value of one dimension. Workloads are never compared with
/// each other: speed-ups are per workload, and their mean is geometric. docs/guide/sweep.md has the rules.
struct SweepComparison {
  std::string name;                        ///< of the sweep
  std::vector<SweepDimension> dimensions;  ///< that vary, except workload and seed
  std::vector<std::string> along;      ///< the `dimensions` whose values are determined by those of the key
  std::size_t key = 0;                 ///< index of the baseline's dimension
  int value = 0;                       ///< index of its value
  bool chosen = false;                 ///< chosen by the user
  bool of_instructions = false;        ///< runs are cut: time means cycles per instruction
  std::vector<std::string> workloads;  ///< in the order of the sweep
  std::vector<std::vector<std::optional<SpeedUp>>> of;  ///< by workload, by value of the key
  std::vector<std::optional<SpeedUp>> all;  ///< by value of the key: geometric mean over workloads
  std::size_t missing = 0;                  ///< finished runs without a partner that has the baseline's value

  struct Best {
    SweepConfiguration configuration;
    SpeedUp speed_up;                                         ///< over `reference`
    std::map<std::string, std::vector<std::string>> results;  ///< by workload; directories in order of seeds
  };
  Best reference;                 ///< the first configuration with the baseline's value
  std::optional<Best> best;       ///< over all workloads; empty: there is only the reference
  std::vector<Best> of_workload;  ///< for each workload with another best configuration
  std::size_t configurations = 0;

  /// A share of the variance of the logarithm of time, within workloads.
  struct Share {
    std::string name;             ///< "l1.size"; of several that vary together "l1.size with l1.ways"
    double alike = 0, apart = 0;  ///< effect common to all workloads; additional effect on single ones
    double range = 1;             ///< time at the worst value over time at the best, geometric means
  };
  std::vector<Share> shares;  ///< the largest first
  double interactions = 0;    ///< of dimensions
  double seeds = 0;
  double variance = 0;   ///< the total variance
  bool complete = true;  ///< every combination of values ran for every workload and seed

  std::vector<std::optional<double>> log_times;  ///< for every point of the file

  std::string text_of(const SweepConfiguration& configuration) const;
};

/// `baseline`: KEY=VALUE; by default the first value of the first key under `set` that varies, else of the
/// variants, else of the platforms. Throws ConfigError if the sweep has no such key or value, if nothing but
/// workloads and seeds varies, or if no run is finished.
SweepComparison compare_sweep(const Database& file, const std::optional<std::string>& baseline);

/// True if more than seeds varies, so that there is something to compare.
bool has_alternatives(const std::string& path);

/// The varied settings of each finished run, without seeds, by its results directory, named as in
/// results_of_sweep().
VariedSettings varied_settings(const std::string& path);

enum class SweepFormat { text, markdown, json };
/// The comparison as printed; tables have at most 100 columns. With `why`: the ledger's explanation of the
/// best configuration, if its results directories exist.
std::string sweep_comparison(const std::string& path, const std::optional<std::string>& baseline,
                             SweepFormat format);

/// Two or three sentences for a page.
std::vector<std::string> sweep_replies(const SweepComparison& comparison);

}  // namespace strata::platforms
