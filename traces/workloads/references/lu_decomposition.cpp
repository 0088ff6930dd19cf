#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Doolittle's method in place. Every element sums over k in ascending order, whatever the blocking.
void lu_decomposition(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto m = data.f32("m", n * n);
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = k + 1; i < n; ++i) {
      const float factor = m[i * n + k] / m[k * n + k];
      m[i * n + k] = factor;
      for (std::int64_t j = k + 1; j < n; ++j) m[i * n + j] = std::fma(-factor, m[k * n + j], m[i * n + j]);
    }
  }
}

// Random, with a diagonal that dominates so that no pivots are needed.
void prepare_lu_decomposition(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto m = data.f32("m", n * n);
  RandomStream random(data.seed_of("m"));
  for (std::int64_t i = 0; i < n * n; ++i) m[i] = static_cast<float>(random.real() * 2 - 1);
  for (std::int64_t i = 0; i < n; ++i) m[i * n + i] += static_cast<float>(n);
}

}  // namespace strata::traces::references
