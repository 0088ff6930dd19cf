#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void stencil_9(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("in", rows * columns), out = data.f32("out", rows * columns);
  const auto at = [&](std::int64_t r, std::int64_t c) { return in[r * columns + c]; };
  for (std::int64_t r = 1; r < rows - 1; ++r)
    for (std::int64_t c = 1; c < columns - 1; ++c) {
      const float edges = at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1);
      const float corners = at(r - 1, c - 1) + at(r - 1, c + 1) + at(r + 1, c - 1) + at(r + 1, c + 1);
      out[r * columns + c] = std::fma(0.05F, corners, std::fma(0.15F, edges, 0.2F * at(r, c)));
    }
}

void stencil_7(HostData& data) {
  const std::int64_t nx = data.value("nx"), ny = data.value("ny"), nz = data.value("nz"),
                     rounds = data.value("rounds"), plane = nx * ny;
  const auto volume = data.f32("in", plane * nz), other = data.f32("out", plane * nz);
  std::vector<float> in(volume.begin(), volume.end()), out = in;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t z = 1; z < nz - 1; ++z)
      for (std::int64_t y = 1; y < ny - 1; ++y)
        for (std::int64_t x = 1; x < nx - 1; ++x) {
          const std::int64_t i = z * plane + y * nx + x;
          const float sum = in[i + plane] + in[i - plane] + in[i + nx] + in[i - nx] + in[i + 1] + in[i - 1];
          out[i] = std::fma(sum, 0.027777778F, -(in[i] * 0.16666667F));
        }
    in.swap(out);
  }
  std::copy(in.begin(), in.end(), (rounds % 2 == 0 ? volume : other).begin());
}

}  // namespace strata::traces::references
