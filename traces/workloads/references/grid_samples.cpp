#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void grid_samples(HostData& data) {
  const std::int64_t size = data.value("size");
  const auto x = data.f32("x"), y = data.f32("y", x.size());
  const auto value = data.i32("value", x.size()), grid = data.i32("grid", size * size);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const std::int64_t gx = static_cast<std::int64_t>(x[i]) + dx,
                           gy = static_cast<std::int64_t>(y[i]) + dy;
        if (gx >= 0 && gx < size && gy >= 0 && gy < size)
          grid[gy * size + gx] += static_cast<std::int32_t>(3 - std::abs(dx) - std::abs(dy)) * value[i];
      }
}

}  // namespace strata::traces::references
