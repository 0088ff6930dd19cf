#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Partial sums of blocks of 16 inputs, pairwise as in a tree; then the update with rate 0.3 and momentum 0.3.
void backprop(HostData& data) {
  constexpr std::int64_t h = 16;
  const std::int64_t n = data.value("n");
  const auto input = data.f32("input", n + 1), weights = data.f32("weights", (n + 1) * (h + 1)),
             previous = data.f32("previous", (n + 1) * (h + 1)), delta = data.f32("delta", h + 1),
             partial = data.f32("partial", n);
  for (std::int64_t block = 0; block < n / h; ++block) {
    for (std::int64_t x = 0; x < h; ++x) {
      float products[h];
      for (std::int64_t y = 0; y < h; ++y) {
        const std::int64_t row = block * h + y + 1;
        products[y] = weights[row * (h + 1) + x + 1] * input[row];
      }
      for (std::int64_t half = h / 2; half > 0; half /= 2)
        for (std::int64_t y = 0; y < half; ++y) products[y] += products[y + half];
      partial[block * h + x] = products[0];
    }
  }
  for (std::int64_t row = 1; row <= n; ++row) {
    for (std::int64_t x = 1; x <= h; ++x) {
      const std::int64_t at = row * (h + 1) + x;
      const float change = std::fma(0.3F * delta[x], input[row], 0.3F * previous[at]);
      weights[at] += change;
      previous[at] = change;
    }
  }
}

}  // namespace strata::traces::references
