#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void kmeans(HostData& data) {
  const std::int64_t points = data.value("points"), clusters = data.value("clusters"),
                     features = data.value("features");
  const auto input = data.f32("input", points * features), centres = data.f32("centres", clusters * features),
             inverted = data.f32("inverted", points * features);
  const auto membership = data.i32("membership", points);
  for (std::int64_t p = 0; p < points; ++p) {
    float least = 3.4e38F;
    for (std::int64_t c = 0; c < clusters; ++c) {
      float distance = 0.0F;
      for (std::int64_t f = 0; f < features; ++f) {
        const float d = input[p * features + f] - centres[c * features + f];
        distance = std::fma(d, d, distance);
      }
      if (distance >= least) continue;
      least = distance;
      membership[p] = static_cast<std::int32_t>(c);
    }
    for (std::int64_t f = 0; f < features; ++f) inverted[f * points + p] = input[p * features + f];
  }
}

}  // namespace strata::traces::references
