#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void gaussian_elimination(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n), m = data.f32("m", n * n);
  for (std::int64_t k = 0; k < n - 1; ++k)
    for (std::int64_t i = k + 1; i < n; ++i) {
      const float factor = a[i * n + k] / a[k * n + k];
      m[i * n + k] = factor;
      for (std::int64_t j = k; j < n; ++j) a[i * n + j] = std::fma(-factor, a[k * n + j], a[i * n + j]);
      b[i] = std::fma(-factor, b[k], b[i]);
    }
}

// Random, with a diagonal that dominates so that no pivots are needed.
void prepare_gaussian_elimination(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n);
  RandomStream random(data.seed_of("a"));
  for (std::int64_t i = 0; i < n * n; ++i)
    a[i] = static_cast<float>(random.real() * 2 - 1 + (i / n == i % n ? static_cast<double>(n) : 0.0));
}

}  // namespace strata::traces::references
