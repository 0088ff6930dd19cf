#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// q0 = 0.05, lambda = 0.5, in double precision.
void speckle_diffusion(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns"),
                     rounds = data.value("rounds");
  const auto image = data.f32("image", rows * columns);
  std::vector<double> now(image.begin(), image.end()), c(now.size());
  const auto near = [&](std::int64_t i, std::int64_t j) {
    return std::clamp<std::int64_t>(i, 0, rows - 1) * columns + std::clamp<std::int64_t>(j, 0, columns - 1);
  };
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      double squares = 0, sum = 0;
      for (const std::int64_t other : {near(i - 1, j), near(i + 1, j), near(i, j - 1), near(i, j + 1)}) {
        squares += std::pow(now[other] - now[at], 2);
        sum += now[other] - now[at];
      }
      const double gradient = squares / (now[at] * now[at]), laplace = sum / now[at];
      const double q = (0.5 * gradient - 0.0625 * laplace * laplace) / std::pow(1 + 0.25 * laplace, 2);
      c[at] = std::clamp(1 / (1 + (q - 0.05) / (0.05 * 1.05)), 0.0, 1.0);
    }
    std::vector<double> next = now;
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      const double divergence =
          c[at] * (now[near(i - 1, j)] - now[at]) + c[near(i + 1, j)] * (now[near(i + 1, j)] - now[at]) +
          c[at] * (now[near(i, j - 1)] - now[at]) + c[near(i, j + 1)] * (now[near(i, j + 1)] - now[at]);
      next[at] += 0.25 * 0.5 * divergence;
    }
    now.swap(next);
  }
  for (std::size_t i = 0; i < now.size(); ++i) image[i] = static_cast<float>(now[i]);
}

}  // namespace strata::traces::references
