#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// C = alpha A B + beta C, alpha = 1.5 and beta = 0.5 as in the workload file.
void gemm(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns"), inner = data.value("inner");
  const auto a = data.f32("a", rows * inner), b = data.f32("b", inner * columns),
             c = data.f32("c", rows * columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0.5F * c[i * columns + j];
      for (std::int64_t k = 0; k < inner; ++k)
        sum = std::fma(1.5F * a[i * inner + k], b[k * columns + j], sum);
      c[i * columns + j] = sum;
    }
  }
}

}  // namespace strata::traces::references
