#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// C = A B.
void matrix_multiply(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n * n), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    float* const row = c.data() + i * n;
    for (std::int64_t j = 0; j < n; ++j) row[j] = 0.0F;
    for (std::int64_t k = 0; k < n; ++k)  // each element sums over k in ascending order, as the kernel does
      for (std::int64_t j = 0; j < n; ++j) row[j] = std::fma(a[i * n + k], b[k * n + j], row[j]);
  }
}

}  // namespace strata::traces::references
