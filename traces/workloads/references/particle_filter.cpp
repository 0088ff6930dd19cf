#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

constexpr int radius = 5;

/// The linear congruence of the benchmark, with the overflow of 32-bit numbers.
double uniform(std::int32_t& seed) {
  const auto next = static_cast<std::int32_t>(1103515245U * static_cast<std::uint32_t>(seed) + 12345U);
  seed = next % 2147483647;
  return std::fabs(seed / 2147483647.0);
}

double normal(std::int32_t& seed) {
  const double u = uniform(seed), v = uniform(seed);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::acos(-1.0) * v);
}

struct Filter {
  explicit Filter(HostData& data)
      : particles(data.value("particles")),
        ones(data.value("ones")),
        pixels(data.value("pixels")),
        height(data.value("height")),
        frames(data.value("frames")),
        x(data.f64("x", particles)),
        y(data.f64("y", particles)),
        old_x(data.f64("old_x", particles)),
        old_y(data.f64("old_y", particles)),
        weight(data.f64("weight", particles)),
        seed(data.i32("seed", particles)),
        disk(data.i32("disk", 2 * ones)),
        video(data.u8("video", pixels)) {}

  void weigh(std::int64_t i, std::int64_t frame) {
    x[i] = old_x[i] + 1.0 + 5.0 * normal(seed[i]);
    y[i] = old_y[i] - 2.0 + 2.0 * normal(seed[i]);
    double sum = 0;
    for (std::int64_t k = 0; k < ones; ++k) {
      const std::int64_t px = static_cast<std::int64_t>(x[i]) + disk[2 * k + 1],
                         py = static_cast<std::int64_t>(y[i]) + disk[2 * k];
      const std::int64_t at = std::abs(px * height * frames + py * frames + frame);
      const double value = video[at >= pixels ? 0 : at];
      sum += (std::pow(value - 100, 2) - std::pow(value - 228, 2)) / 50;
    }
    weight[i] = std::exp(sum / static_cast<double>(ones)) / static_cast<double>(particles);
  }
  void step(std::int64_t frame) {
    double sum = 0;
    for (std::int64_t i = 0; i < particles; ++i) {
      weigh(i, frame);
      sum += weight[i];
    }
    std::vector<double> cumulative(particles);
    for (std::int64_t i = 0; i < particles; ++i) {
      weight[i] /= sum;
      cumulative[i] = weight[i] + (i == 0 ? 0 : cumulative[i - 1]);
    }
    for (std::int64_t i = 0; i < particles; ++i) {
      const double wanted = 1.0e-5 + static_cast<double>(i) / static_cast<double>(particles);
      const auto at = std::lower_bound(cumulative.begin(), cumulative.end(), wanted) - cumulative.begin();
      const auto found = std::min<std::int64_t>(at, particles - 1);
      old_x[i] = x[found];
      old_y[i] = y[found];
    }
  }

  std::int64_t particles, ones, pixels, height, frames;
  HostSpan<double> x, y, old_x, old_y, weight;
  HostSpan<std::int32_t> seed, disk;
  HostSpan<std::uint8_t> video;
};

}  // namespace

void particle_filter(HostData& data) {
  Filter filter(data);
  for (std::int64_t frame = 1; frame < filter.frames; ++frame) filter.step(frame);
}

// A bright disk that moves by one column and minus two rows a frame from the middle of a dark, noisy video;
// the particles begin at the middle.
void prepare_particle_filter(HostData& data) {
  Filter filter(data);
  const std::int64_t width = data.value("width");
  std::vector<std::int32_t> disk;
  for (int dx = -radius; dx <= radius; ++dx)
    for (int dy = -radius; dy <= radius; ++dy)
      if (dx * dx + dy * dy < radius * radius) disk.insert(disk.end(), {dy, dx});
  if (static_cast<std::int64_t>(disk.size()) != 2 * filter.ones)
    throw ConfigError("reference 'particle_filter': a disk of radius 5 has " +
                      std::to_string(disk.size() / 2) + " pixels; the value 'ones' says " +
                      std::to_string(filter.ones));
  std::copy(disk.begin(), disk.end(), filter.disk.begin());
  RandomStream random(data.seed_of("video"));
  for (std::uint8_t& pixel : filter.video) pixel = static_cast<std::uint8_t>(95 + random.below(11));
  for (std::int64_t frame = 0; frame < filter.frames; ++frame)
    for (std::int64_t k = 0; k < filter.ones; ++k) {
      const std::int64_t px = width / 2 + frame + disk[2 * k + 1],
                         py = filter.height / 2 - 2 * frame + disk[2 * k];
      if (px < 0 || px >= width || py < 0 || py >= filter.height) continue;
      filter.video[(px * filter.height + py) * filter.frames + frame] =
          static_cast<std::uint8_t>(223 + random.below(11));
    }
  std::fill(filter.old_x.begin(), filter.old_x.end(), static_cast<double>(width / 2));
  std::fill(filter.old_y.begin(), filter.old_y.end(), static_cast<double>(filter.height / 2));
}

}  // namespace strata::traces::references
