#include "models/power/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace strata::power {
namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double modelled(const std::vector<double>& factors, const std::vector<double>& coefficients) {
  return dot(factors, coefficients);
}

}  // namespace

// QR by modified Gram-Schmidt, twice for the sake of nearly parallel columns.
std::vector<double> fit(const FitRows& rows) {
  const std::size_t terms = rows.factors.empty() ? 0 : rows.factors.front().size();
  const std::size_t count = rows.targets.size();
  std::vector<Column> q(terms, Column(count));
  Column rest(count, 1.0);  // each row divided by its target
  for (std::size_t t = 0; t < terms; ++t)
    for (std::size_t i = 0; i < count; ++i) q[t][i] = rows.factors[i][t] / rows.targets[i];
  std::vector<Column> r(terms, Column(terms, 0.0));
  for (std::size_t t = 0; t < terms; ++t) {
    const double before = std::sqrt(dot(q[t], q[t]));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < t; ++s) {
        if (r[s][s] == 0) continue;
        const double share = dot(q[s], q[t]);
        r[s][t] += share;
        for (std::size_t i = 0; i < count; ++i) q[t][i] -= share * q[s][i];
      }
    const double length = std::sqrt(dot(q[t], q[t]));
    if (length <= 1e-9 * before || before == 0) continue;  // linearly dependent on the other columns
    r[t][t] = length;
    for (double& value : q[t]) value /= length;
  }
  std::vector<double> coefficients(terms, 0.0);
  for (std::size_t t = terms; t-- > 0;) {
    if (r[t][t] == 0) continue;
    double value = dot(q[t], rest);
    for (std::size_t s = t + 1; s < terms; ++s) value -= r[t][s] * coefficients[s];
    coefficients[t] = value / r[t][t];
  }
  return coefficients;
}

double Residuals::quantile(double share) const {
  if (errors.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(errors.size()));
  return errors[std::min(at, errors.size() - 1)];
}

Residuals residuals(const FitRows& rows, const std::vector<double>& coefficients) {
  Residuals result;
  for (std::size_t i = 0; i < rows.targets.size(); ++i)
    result.errors.push_back(std::abs(modelled(rows.factors[i], coefficients) / rows.targets[i] - 1));
  std::sort(result.errors.begin(), result.errors.end());
  return result;
}

Residuals cross_validate(const FitRows& rows) {
  Residuals result;
  for (const int group : std::set<int>(rows.groups.begin(), rows.groups.end())) {
    FitRows kept;
    FitRows left_out;
    for (std::size_t i = 0; i < rows.targets.size(); ++i) {
      FitRows& part = rows.groups[i] == group ? left_out : kept;
      part.factors.push_back(rows.factors[i]);
      part.targets.push_back(rows.targets[i]);
    }
    const Residuals part = residuals(left_out, fit(kept));
    result.errors.insert(result.errors.end(), part.errors.begin(), part.errors.end());
  }
  std::sort(result.errors.begin(), result.errors.end());
  return result;
}

}  // namespace strata::power
