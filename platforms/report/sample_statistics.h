#pragma once

#include <optional>
#include <string>
#include <vector>

namespace strata::platforms {

/// 97.5 % of Student's distribution lie below: how many standard errors half a 95 % interval has.
double student_quantile(double freedom);

/// A figure of runs that differ in chance only: its mean, and how far the truth may lie from it.
struct Sample {
  std::size_t size = 0;
  double mean = 0;
  double deviation = 0;        ///< standard deviation of one run
  std::optional<double> half;  ///< of the 95 % interval of the mean (Student); empty for fewer than two
  std::vector<double> values;
  std::vector<std::string> seeds;  ///< of each value; empty: unknown
};
/// `seeds`: of the runs that gave the values; empty: unknown.
Sample sample_of(const std::vector<double>& values, const std::vector<std::string>& seeds = {});

/// What one sample's mean has above that of another.
struct Difference {
  double value = 0;
  /// Half of its 95 % interval; empty: nothing is known of chance. Where both samples have the same seeds,
  /// that of pairs: with d the n differences of runs of equal seeds and s their standard deviation,
  /// t(n - 1) s / sqrt(n). Else Welch's, where both are several runs; where one is a single run, of where
  /// such a run would lie.
  std::optional<double> half;
  bool paired = false;
  bool within_noise() const { return half && value <= *half && value >= -*half; }
};
Difference difference(const Sample& from, const Sample& to);

/// True when each sample has several runs, each with a seed of its own, and the seeds are the same.
bool are_pairs(const Sample& from, const Sample& to);

}  // namespace strata::platforms
