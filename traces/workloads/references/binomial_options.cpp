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

}  // namespace strata::traces::references
