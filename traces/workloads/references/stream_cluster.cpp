#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// The candidates 0, step, 2 step, ...; the last that saves something leaves its gain.
void stream_cluster(HostData& data) {
  const std::int64_t points = data.value("points"), dimensions = data.value("dimensions"),
                     candidates = data.value("candidates");
  const auto x = data.f32("coordinates", dimensions * points), weight = data.f32("weight", points),
             cost = data.f32("cost", points), saved = data.f32("saved", points);
  const auto centre = data.i32("centre", points);
  for (std::int64_t k = 0; k < candidates; ++k) {
    const std::int64_t candidate = k * (points / candidates);
    for (std::int64_t i = 0; i < points; ++i) {
      float distance = 0.0F;
      for (std::int64_t d = 0; d < dimensions; ++d) {
        const float difference = x[d * points + i] - x[d * points + candidate];
        distance = std::fma(difference, difference, distance);
      }
      const float gain = std::fma(-distance, weight[i], cost[i]);
      if (gain > 0.0F && centre[i] != candidate) saved[i] = gain;
    }
  }
}

}  // namespace strata::traces::references
