#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void convolution_2d(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("in", rows * columns), out = data.f32("out", rows * columns);
  constexpr float weights[3][3] = {{0.2F, -0.3F, 0.4F}, {0.5F, 0.6F, 0.7F}, {-0.8F, -0.9F, 0.1F}};
  for (std::int64_t i = 1; i < rows - 1; ++i)
    for (std::int64_t j = 1; j < columns - 1; ++j) {
      float sum = 0.0F;
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) sum = std::fma(weights[y][x], in[(i + y - 1) * columns + j + x - 1], sum);
      out[i * columns + j] = sum;
    }
}

}  // namespace strata::traces::references
