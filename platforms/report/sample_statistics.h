#pragma once

#include <optional>
#include <string>
#include <vector>

namespace strata::platforms {

/// 97.5 % quantile of Student's distribution: the number of standard errors in half a 95 % interval.
double student_quantile(double freedom);

/// A figure over runs that differ only in chance: its mean and the uncertainty.
struct Sample {
  std::size_t size = 0;
  double mean = 0;
  double deviation = 0;  ///< standard deviation of one run
  std::optional<double>
      half;  ///< half of the 95 % interval of the mean (Student); empty for fewer than two values
  std::vector<double> values;
  std::vector<std::string> seeds;  ///< seed of each value; empty: unknown
};
/// `seeds`: of the runs that gave the values; empty: unknown.
Sample sample_of(const std::vector<double>& values, const std::vector<std::string>& seeds = {});

/// The difference between the means of two samples.
struct Difference {
  double value = 0;
  /// Half of its 95 % interval; empty: the variation is unknown. If both samples have the same seeds, it is
  /// that of pairs: with d the n differences of runs of equal seeds and s their standard deviation, t(n - 1)
  /// s / sqrt(n). Otherwise it is Welch's if both samples have several runs; if one is a single run, it is
  /// the interval in which such a run would lie.
  std::optional<double> half;
  bool paired = false;
  bool within_noise() const { return half && value <= *half && value >= -*half; }
};
Difference difference(const Sample& from, const Sample& to);

/// True if each sample has several runs with distinct seeds, and both have the same seeds.
bool are_pairs(const Sample& from, const Sample& to);

}  // namespace strata::platforms
