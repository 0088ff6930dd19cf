#pragma once

#include <vector>

namespace strata::power {

/// Rows of a fit: the factors of each term, and what their sum was measured to be (not 0).
struct FitRows {
  std::vector<std::vector<double>> factors;
  std::vector<double> targets;
  std::vector<int> groups;  ///< rows of one configuration: left out together
};

/// Coefficients with the least sum of squared relative errors. Terms that the rows cannot tell apart get 0.
std::vector<double> fit(const FitRows& rows);

/// Relative errors |model / target - 1|, sorted.
struct Residuals {
  std::vector<double> errors;
  double median() const { return quantile(0.5); }
  double percentile95() const { return quantile(0.95); }
  double most() const { return errors.empty() ? 0 : errors.back(); }
  double quantile(double share) const;
};

Residuals residuals(const FitRows& rows, const std::vector<double>& coefficients);

/// Residuals with each group left out of the fit that predicts it.
Residuals cross_validate(const FitRows& rows);

}  // namespace strata::power
