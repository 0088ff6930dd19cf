#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Cox, Ross and Rubinstein in double precision; rate 0.06, volatility 0.1.
void binomial_options(HostData& data) {
  const std::int64_t steps = data.value("steps");
  const auto price = data.f32("price"), strike = data.f32("strike", price.size()),
             years = data.f32("years", price.size()), value = data.f32("value", price.size());
  std::vector<double> tree(static_cast<std::size_t>(steps) + 1);
  for (std::size_t option = 0; option < value.size(); ++option) {
    const double dt = years[option] / static_cast<double>(steps), move = 0.1 * std::sqrt(dt);
    const double grow = std::exp(0.06 * dt), up = std::exp(move), down = std::exp(-move);
    const double chance = (grow - down) / (up - down);
    for (std::int64_t i = 0; i <= steps; ++i)
      tree[i] =
          std::max(price[option] * std::exp(move * static_cast<double>(2 * i - steps)) - strike[option], 0.0);
    for (std::int64_t last = steps; last > 0; --last)
      for (std::int64_t i = 0; i < last; ++i)
        tree[i] = (chance * tree[i + 1] + (1 - chance) * tree[i]) / grow;
    value[option] = static_cast<float>(tree[0]);
  }
}

namespace {

// The exact normal distribution; the kernel's polynomial deviates by at most 7.5e-8.
double normal(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

}  // namespace

// Rate 0.02, volatility 0.3.
void black_scholes(HostData& data) {
  const auto price = data.f32("price"), strike = data.f32("strike", price.size()),
             years = data.f32("years", price.size()), call = data.f32("call", price.size()),
             put = data.f32("put", price.size());
  for (std::size_t i = 0; i < price.size(); ++i) {
    const double s = price[i], x = strike[i], t = years[i], spread = 0.3 * std::sqrt(t);
    const double d1 = (std::log(s / x) + (0.02 + 0.045) * t) / spread, d2 = d1 - spread;
    const double discounted = x * std::exp(-0.02 * t);
    call[i] = static_cast<float>(s * normal(d1) - discounted * normal(d2));
    put[i] = static_cast<float>(discounted * normal(-d2) - s * normal(-d1));
  }
}

}  // namespace strata::traces::references
