#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// C = 1.5 A A' + 0.5 C.
void syrk(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.5F * c[i * n + j];
      for (std::int64_t k = 0; k < m; ++k) sum = std::fma(1.5F * a[i * m + k], a[j * m + k], sum);
      c[i * n + j] = sum;
    }
}

// C = 1.5 (A B' + B A') + 0.5 C.
void syr2k(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m), b = data.f32("b", n * m), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.5F * c[i * n + j];
      for (std::int64_t k = 0; k < m; ++k)
        sum += std::fma(1.5F * b[i * m + k], a[j * m + k], 1.5F * a[i * m + k] * b[j * m + k]);
      c[i * n + j] = sum;
    }
}

}  // namespace strata::traces::references
