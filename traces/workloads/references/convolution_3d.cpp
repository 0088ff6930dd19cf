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
  constexpr Tap taps[] = {{-1, -1, -1, 2}, {-1, -1, 1, -3}, {-1, 1, -1, 4}, {-1, 1, 1, 5},
                          {0, -1, 0, -6},  {0, 0, 0, 7},    {0, 1, 0, -8},  {1, -1, -1, 9},
                          {1, -1, 1, -10}, {1, 1, -1, 11},  {1, 1, 1, 12}};
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
