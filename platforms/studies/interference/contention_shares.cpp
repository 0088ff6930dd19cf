#include "platforms/studies/interference/contention_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::platforms {

Shares normalized(Shares values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value = sum == 0 ? 0 : value / sum;
  return values;
}

Shares gdc_shares(const ContentionCounts& counts, int victim) {
  const auto& row = counts.demotions[static_cast<std::size_t>(victim)];
  return normalized({row.begin(), row.end()});
}

Shares plob_shares(const ContentionCounts& counts, int victim, bool with_self) {
  const auto& row = counts.evictions[static_cast<std::size_t>(victim)];
  const Shares all(row.begin(), row.end());
  return with_self ? normalized(all) : of_contenders(all, victim);
}

Shares of_contenders(Shares shares, int victim) {
  shares[static_cast<std::size_t>(victim)] = 0;
  return normalized(std::move(shares));
}

double breakdown_distance(const Shares& a, const Shares& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double mean_absolute_error(const Shares& estimate, const Shares& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += std::abs(estimate[i] - truth[i]);
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

int rank_inversions(const Shares& a, const Shares& b, int left_out) {
  int inversions = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j)
      if (static_cast<int>(i) != left_out && static_cast<int>(j) != left_out &&
          (a[i] - a[j]) * (b[i] - b[j]) < 0)
        ++inversions;
  return inversions;
}

}  // namespace strata::platforms
