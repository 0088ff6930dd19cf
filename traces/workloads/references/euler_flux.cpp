#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// In double precision.
void euler_flux(HostData& data) {
  const std::int64_t cells = data.value("cells");
  const auto v = data.f32("variables", 4 * cells), normals = data.f32("normals", 8 * cells),
             fluxes = data.f32("fluxes", 4 * cells);
  const auto neighbours = data.i32("neighbours", 4 * cells);
  for (std::int64_t i = 0; i < cells; ++i) {
    double total[4] = {0, 0, 0, 0};
    for (std::int64_t face = 0; face < 4; ++face) {
      const std::int64_t n = neighbours[face * cells + i];
      const double nx = normals[2 * face * cells + i], ny = normals[(2 * face + 1) * cells + i];
      double mean[4];
      for (std::int64_t k = 0; k < 4; ++k) {
        const double own = v[k * cells + i];
        const double other = n >= 0 ? static_cast<double>(v[k * cells + n]) : k == 1 || k == 2 ? -own : own;
        mean[k] = 0.5 * (own + other);
      }
      const double pressure = 0.4 * (mean[3] - 0.5 * (mean[1] * mean[1] + mean[2] * mean[2]) / mean[0]);
      const double through = (mean[1] * nx + mean[2] * ny) / mean[0];
      total[0] += mean[0] * through;
      total[1] += mean[1] * through + pressure * nx;
      total[2] += mean[2] * through + pressure * ny;
      total[3] += (mean[3] + pressure) * through;
    }
    for (std::int64_t k = 0; k < 4; ++k) fluxes[k * cells + i] = static_cast<float>(total[k]);
  }
}

}  // namespace strata::traces::references
