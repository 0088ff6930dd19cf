#include "platforms/report/sample_statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace strata::platforms {

double student_quantile(double freedom) {
  // In double: Boost's initialization for long double aborts programs under valgrind, which lacks it.
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::quantile(boost::math::students_t_distribution<double, Plain>(freedom), 0.975);
}

Sample sample_of(const std::vector<double>& values, const std::vector<std::string>& seeds) {
  Sample sample;
  sample.values = values;
  sample.seeds = seeds;
  sample.size = values.size();
  if (values.empty()) return sample;
  const auto size = static_cast<double>(values.size());
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / size;
  if (values.size() < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.deviation = std::sqrt(squares / (size - 1));
  sample.half = student_quantile(size - 1) * sample.deviation / std::sqrt(size);
  return sample;
}

namespace {

/// Empty: not every value has a seed of its own.
std::map<std::string, double> by_seed(const Sample& sample) {
  std::map<std::string, double> values;
  if (sample.seeds.size() != sample.size || sample.values.size() != sample.size) return {};
  for (std::size_t i = 0; i < sample.size; ++i) values[sample.seeds[i]] = sample.values[i];
  return values.size() == sample.size ? values : std::map<std::string, double>();
}

}  // namespace

bool are_pairs(const Sample& from, const Sample& to) {
  const auto one = by_seed(from), other = by_seed(to);
  const auto same_seed = [](const auto& a, const auto& b) { return a.first == b.first; };
  return one.size() > 1 && one.size() == other.size() &&
         std::equal(one.begin(), one.end(), other.begin(), same_seed);
}

Difference difference(const Sample& from, const Sample& to) {
  Difference result{to.mean - from.mean, std::nullopt};
  if (are_pairs(from, to)) {
    const auto one = by_seed(from), other = by_seed(to);
    std::vector<double> differences;
    for (const auto& [seed, value] : one) differences.push_back(other.at(seed) - value);
    result.half = sample_of(differences).half;
    result.paired = true;
    return result;
  }
  if (from.size < 2 && to.size < 2) return result;
  if (from.size < 2 || to.size < 2) {
    const Sample& several = from.size < 2 ? to : from;
    const auto size = static_cast<double>(several.size);
    result.half = student_quantile(size - 1) * several.deviation * std::sqrt(1 + 1 / size);
    return result;
  }
  const auto part = [](const Sample& s) { return s.deviation * s.deviation / static_cast<double>(s.size); };
  const double one = part(from), other = part(to), both = one + other;
  if (both <= 0) {  // none of them varies
    result.half = 0;
    return result;
  }
  const double freedom =
      both * both /
      (one * one / static_cast<double>(from.size - 1) + other * other / static_cast<double>(to.size - 1));
  result.half = student_quantile(freedom) * std::sqrt(both);
  return result;
}

}  // namespace strata::platforms
