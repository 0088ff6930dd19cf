#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void transpose(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto in = data.f32("in", n * n), out = data.f32("out", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) out[j * n + i] = in[i * n + j];
}

// The product of a matrix and the transpose of another.
void multiply_transposed(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n * n), t = data.f32("t", n * n),
             c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      t[j * n + i] = b[i * n + j];
      float sum = 0.0F;
      for (std::int64_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[j * n + k], sum);
      c[i * n + j] = sum;
    }
}

}  // namespace strata::traces::references
