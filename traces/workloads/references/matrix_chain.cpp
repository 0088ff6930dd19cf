#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

/// C = A B, n x n.
void multiply(HostSpan<float> a, HostSpan<float> b, HostSpan<float> c, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.0F;
      for (std::int64_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      c[i * n + j] = sum;
    }
}

}  // namespace

// E = (A B) C.
void matrix_chain_2(HostData& data) {
  const std::int64_t n = data.value("n");
  multiply(data.f32("a", n * n), data.f32("b", n * n), data.f32("d", n * n), n);
  multiply(data.f32("d", n * n), data.f32("c", n * n), data.f32("e", n * n), n);
}

// G = (A B) (C D).
void matrix_chain_3(HostData& data) {
  const std::int64_t n = data.value("n");
  multiply(data.f32("a", n * n), data.f32("b", n * n), data.f32("e", n * n), n);
  multiply(data.f32("c", n * n), data.f32("d", n * n), data.f32("f", n * n), n);
  multiply(data.f32("e", n * n), data.f32("f", n * n), data.f32("g", n * n), n);
}

}  // namespace strata::traces::references
