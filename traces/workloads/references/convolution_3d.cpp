#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void convolution_3d(HostData& data) {
  const std::int64_t ni = data.value("ni"), nj = data.value("nj"), nk = data.value("nk");
  const auto in = data.f32("in", ni * nj * nk), out = data.f32("out", ni * nj * nk);
  struct Tap {
    int i, j, k;
    float weight;
  };
  constexpr Tap taps[] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, -1, 5}, {1, -1, -1, 7}, {-1, -1, -1, -8},
                          {1, -1, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6},    {0, 1, 0, -9},  {-1, -1, 1, 2},
                          {1, -1, 1, 4},   {-1, 0, 1, 5},  {1, 0, 1, 7},    {-1, 1, 1, -8}, {1, 1, 1, 10}};
  for (std::int64_t i = 1; i < ni - 1; ++i)
    for (std::int64_t j = 1; j < nj - 1; ++j)
      for (std::int64_t k = 1; k < nk - 1; ++k) {
        float sum = 0.0F;
        for (const Tap& t : taps)
          sum = std::fma(t.weight, in[((i + t.i) * nj + j + t.j) * nk + k + t.k], sum);
        out[(i * nj + j) * nk + k] = sum;
      }
}

}  // namespace strata::traces::references
