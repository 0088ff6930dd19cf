#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Cutoff 16 (squared), coefficients 1.5 and 2, in double precision.
void lennard_jones(HostData& data) {
  const std::int64_t atoms = data.value("atoms"), neighbours = data.value("neighbours");
  const auto p = data.f32("position", 4 * atoms), force = data.f32("force", 4 * atoms);
  const auto list = data.i32("list", atoms * neighbours);
  for (std::int64_t i = 0; i < atoms; ++i) {
    double f[3] = {0, 0, 0};
    for (std::int64_t k = 0; k < neighbours; ++k) {
      const std::int64_t q = list[k * atoms + i];
      double d[3], square = 0;
      for (int c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(p[4 * i + c]) - p[4 * q + c];
        square += d[c] * d[c];
      }
      if (square >= 16) continue;
      const double sixth = 1 / (square * square * square);
      for (int c = 0; c < 3; ++c) f[c] += d[c] * sixth / square * (1.5 * sixth - 2);
    }
    for (int c = 0; c < 3; ++c) force[4 * i + c] = static_cast<float>(f[c]);
    force[4 * i + 3] = 0;
  }
}

// Atoms on a distorted lattice of spacing 1.2 (never nearer than 0.8 to each other); neighbours are atoms
// near in number.
void prepare_lennard_jones(HostData& data) {
  const std::int64_t atoms = data.value("atoms"), neighbours = data.value("neighbours"),
                     side = data.value("side");
  const auto p = data.f32("position", 4 * atoms);
  const auto list = data.i32("list", atoms * neighbours);
  RandomStream random(data.seed_of("position"));
  for (std::int64_t i = 0; i < atoms; ++i) {
    const std::int64_t at[3] = {i % side, i / side % side, i / side / side};
    for (int c = 0; c < 3; ++c)
      p[4 * i + c] = static_cast<float>(1.2 * static_cast<double>(at[c]) + 0.4 * (random.real() - 0.5));
    p[4 * i + 3] = 0;
    for (std::int64_t k = 0; k < neighbours; ++k) {
      auto distance =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(4 * side))) - 2 * side;
      if (distance == 0) distance = 1;
      list[k * atoms + i] = static_cast<std::int32_t>(((i + distance) % atoms + atoms) % atoms);
    }
  }
}

}  // namespace strata::traces::references
