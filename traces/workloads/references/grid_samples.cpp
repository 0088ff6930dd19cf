#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

constexpr float cutoff = 2.0F, beta = 10.0F;

std::size_t bin_of(const float* sample, std::size_t size) {
  return (static_cast<std::size_t>(sample[4]) * size + static_cast<std::size_t>(sample[3])) * size +
         static_cast<std::size_t>(sample[2]);
}

// Series of the modified Bessel function of order zero.
float window(float quarter) {
  float sum = 1.0F, term = 1.0F;
  for (int k = 1; k <= 13; ++k) {
    term *= quarter / static_cast<float>(k * k);
    sum += term;
  }
  return sum;
}

}  // namespace

// Each sample spread over the points around it.
void grid_samples(HostData& data) {
  const auto size = static_cast<std::size_t>(data.value("size"));
  const auto samples = data.f32("input");
  const std::size_t number = samples.size() / 6;
  const auto keys = data.u32("keys", number), numbers = data.u32("numbers", number);
  const auto grid = data.f32("grid", 2 * size * size * size), density = data.f32("density", grid.size() / 2);
  std::fill(grid.begin(), grid.end(), 0.0F);
  std::fill(density.begin(), density.end(), 0.0F);
  for (std::size_t i = 0; i < number; ++i) {
    const float* const s = samples.data() + 6 * i;
    keys[i] = static_cast<std::uint32_t>(bin_of(s, size));
    numbers[i] = static_cast<std::uint32_t>(i);
    const auto from = [&](int axis) { return static_cast<std::size_t>(std::max(s[axis] - cutoff, 0.0F)); };
    const auto until = [&](int axis) {
      return std::min(static_cast<std::size_t>(s[axis] + cutoff) + 1, size);
    };
    for (std::size_t z = from(4); z < until(4); ++z)
      for (std::size_t y = from(3); y < until(3); ++y)
        for (std::size_t x = from(2); x < until(2); ++x) {
          const float dx = s[2] - static_cast<float>(x), dy = s[3] - static_cast<float>(y),
                      dz = s[4] - static_cast<float>(z);
          const float distance = std::fma(dz, dz, std::fma(dx, dx, dy * dy));
          if (distance >= cutoff * cutoff) continue;
          const float share = window(beta * beta * 0.25F * (1.0F - distance / (cutoff * cutoff))) * s[5];
          const std::size_t at = (z * size + y) * size + x;
          grid[2 * at] += share * s[0];
          grid[2 * at + 1] += share * s[1];
          density[at] += 1.0F;
        }
  }
}

// Samples on lines along x, as a scanner reads them out; the order of their bins, and where bins begin in it.
void prepare_grid_samples(HostData& data) {
  const auto size = static_cast<std::size_t>(data.value("size"));
  const auto line = static_cast<std::size_t>(data.value("line"));
  const auto samples = data.f32("input");
  const std::size_t number = samples.size() / 6;
  const auto order = data.u32("order", number), begins = data.u32("begins", size * size * size + 1);
  RandomStream random(data.seed_of("input"));
  const auto edge = static_cast<float>(size) * 0.999F;
  float y = 0, z = 0;
  for (std::size_t i = 0; i < number; ++i) {
    float* const s = samples.data() + 6 * i;
    if (i % line == 0) {
      y = static_cast<float>(random.real()) * edge;
      z = static_cast<float>(random.real()) * edge;
    }
    s[0] = static_cast<float>(random.real()) + 0.5F;
    s[1] = static_cast<float>(random.real()) + 0.5F;
    s[2] =
        (static_cast<float>(i % line) + static_cast<float>(random.real())) / static_cast<float>(line) * edge;
    s[3] = y;
    s[4] = z;
    s[5] = static_cast<float>(random.real()) + 0.5F;
  }
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return bin_of(samples.data() + 6 * a, size) < bin_of(samples.data() + 6 * b, size);
  });
  for (std::size_t i = 0; i < number; ++i) ++begins[bin_of(samples.data() + 6 * i, size) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
}

}  // namespace strata::traces::references
