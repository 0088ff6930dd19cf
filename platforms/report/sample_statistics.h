#pragma once

#include <optional>
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
};
Sample sample_of(const std::vector<double>& values);

/// What one sample's mean has above that of another.
struct Difference {
  double value = 0;
  /// Half of its 95 % interval: Welch's, where both are several runs; where one is a single run, of where
  /// such a run would come to lie. Empty: nothing is known of chance.
  std::optional<double> half;
  bool within_noise() const { return half && value <= *half && value >= -*half; }
};
Difference difference(const Sample& from, const Sample& to);

}  // namespace strata::platforms
