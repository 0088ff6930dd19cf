#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/report/compare.h"
#include "platforms/sweep/sweep_points.h"

namespace strata::platforms {

/// How many times as fast as the baseline: 1.07 is 7 % faster.
struct SpeedUp {
  double ratio = 1;
  std::optional<double> half;    ///< of its 95 % interval, by pairs of equal seeds; empty: one seed
  double least = 1, most = 1;    ///< over the combinations of the other dimensions
  std::size_t combinations = 0;  ///< of the other dimensions
  bool within_noise() const { return half && ratio - *half <= 1 && ratio + *half >= 1; }
};

/// Value of each dimension but workload and seed, in their order; -1: none.
using SweepConfiguration = std::vector<int>;

/// A sweep's runs against those with one value of one dimension. Workloads are never compared with each
/// other: speed-ups are of a workload, and their mean is the geometric one. docs/guide/sweep.md has the
/// rules.
struct SweepComparison {
  std::string name;                        ///< of the sweep
  std::vector<SweepDimension> dimensions;  ///< that vary, apart from workload and seed
  std::vector<std::string> along;          ///< those of `dimensions` whose values go with those of the key
  std::size_t key = 0;                     ///< number of the baseline's dimension
  int value = 0;                           ///< number of its value
  bool chosen = false;                     ///< the user has chosen it
  bool of_instructions = false;            ///< runs are cut: time is cycles per instruction
  std::vector<std::string> workloads;      ///< in the order of the sweep
  std::vector<std::vector<std::optional<SpeedUp>>> of;  ///< by workload, by value of the key
  std::vector<std::optional<SpeedUp>> all;  ///< by value of the key: geometric mean over workloads
  std::size_t missing = 0;                  ///< finished runs that have no partner with the baseline's value

  struct Best {
    SweepConfiguration configuration;
    SpeedUp speed_up;                                         ///< over `reference`
    std::map<std::string, std::vector<std::string>> results;  ///< by workload; directories in order of seeds
  };
  Best reference;                 ///< the first configuration with the baseline's value
  std::optional<Best> best;       ///< over all workloads; empty: there is only the reference
  std::vector<Best> of_workload;  ///< of each workload for which another one is better
  std::size_t configurations = 0;

  /// Of the variance of the logarithm of time, workloads apart.
  struct Share {
    std::string name;             ///< "l1.size", of several that vary together "l1.size with l1.ways"
    double alike = 0, apart = 0;  ///< alike for all workloads; what it does to some beyond that
    double range = 1;             ///< time at the worst value over time at the best, geometric means
  };
  std::vector<Share> shares;  ///< the largest first
  double interactions = 0;    ///< of dimensions
  double seeds = 0;
  double variance = 0;   ///< of which they are shares
  bool complete = true;  ///< every combination of values ran for every workload and seed

  std::vector<std::optional<double>> log_times;  ///< of every point of the file

  std::string text_of(const SweepConfiguration& configuration) const;
};

/// `baseline`: KEY=VALUE; without one the first value of the first key under `set` that varies, else of the
/// variants, else of the platforms. Throws ConfigError when the sweep has no such key or value, when nothing
/// but workloads and seeds varies, or when no run is finished.
SweepComparison compare_sweep(const Database& file, const std::optional<std::string>& baseline);

/// Something but seeds varies, so that there is something to compare.
bool has_alternatives(const std::string& path);

/// Of each finished run's results directory, named as results_of_sweep() does, what varies, seeds apart.
VariedSettings varied_settings(const std::string& path);

enum class SweepFormat { text, markdown, json };
/// The comparison as it is printed; tables have at most 100 columns. With why: what the ledger says of the
/// best configuration, as far as results directories are there.
std::string sweep_comparison(const std::string& path, const std::optional<std::string>& baseline,
                             SweepFormat format);

/// Two or three sentences for a page.
std::vector<std::string> sweep_answers(const SweepComparison& comparison);

}  // namespace strata::platforms
