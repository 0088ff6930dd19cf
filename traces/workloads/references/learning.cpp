#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Partial sums of blocks of 16 inputs, pairwise as in a tree; then the update with rate 0.3 and momentum 0.3.
void backprop(HostData& data) {
  constexpr std::int64_t h = 16;
  const std::int64_t n = data.value("n");
  const auto input = data.f32("input", n + 1), weights = data.f32("weights", (n + 1) * (h + 1)),
             previous = data.f32("previous", (n + 1) * (h + 1)), delta = data.f32("delta", h + 1),
             partial = data.f32("partial", n);
  for (std::int64_t block = 0; block < n / h; ++block) {
    for (std::int64_t x = 0; x < h; ++x) {
      float products[h];
      for (std::int64_t y = 0; y < h; ++y) {
        const std::int64_t row = block * h + y + 1;
        products[y] = weights[row * (h + 1) + x + 1] * input[row];
      }
      for (std::int64_t half = h / 2; half > 0; half /= 2)
        for (std::int64_t y = 0; y < half; ++y) products[y] += products[y + half];
      partial[block * h + x] = products[0];
    }
  }
  for (std::int64_t row = 1; row <= n; ++row) {
    for (std::int64_t x = 1; x <= h; ++x) {
      const std::int64_t at = row * (h + 1) + x;
      const float change = std::fma(0.3F * delta[x], input[row], 0.3F * previous[at]);
      weights[at] += change;
      previous[at] = change;
    }
  }
}

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

namespace {

// A point: weight, centre (index 4), cost (index 6).
constexpr std::int64_t point_size = 8;

}  // namespace

// Candidates 0, step, 2 step, ...; the sums of the last one remain.
void stream_cluster(HostData& data) {
  const std::int64_t points = data.value("points"), dimensions = data.value("dimensions"),
                     candidates = data.value("candidates"), centres = data.value("centres"),
                     stride = data.value("stride");
  const auto x = data.f32("coordinates", dimensions * points),
             point = data.f32("points_of", point_size * points), sums = data.f32("sums", points * stride);
  const auto number = data.i32("centre_number", points);
  const auto moves = data.u8("moves", points);
  const std::int64_t candidate = (candidates - 1) * (points / candidates);
  for (std::int64_t i = 0; i < points; ++i) {
    float distance = 0.0F;
    for (std::int64_t d = 0; d < dimensions; ++d) {
      const float difference = x[d * points + i] - x[d * points + candidate];
      distance = std::fma(difference, difference, distance);
    }
    const float cost = distance * point[point_size * i], now = point[point_size * i + 6];
    if (cost < now) {
      moves[i] = 1;
      sums[i * stride + centres] += cost - now;
    } else {
      sums[i * stride + number[static_cast<std::int64_t>(point[point_size * i + 4])]] += now - cost;
    }
  }
}

// Every point belongs to a random centre; the centres are the first points.
void prepare_stream_cluster(HostData& data) {
  const std::int64_t points = data.value("points"), centres = data.value("centres");
  const auto point = data.f32("points_of", point_size * points);
  const auto number = data.i32("centre_number", points);
  RandomStream random(data.seed_of("points_of"));
  for (std::int64_t i = 0; i < points; ++i) {
    point[point_size * i] = 1.0F;
    point[point_size * i + 4] = static_cast<float>(random.below(static_cast<std::uint64_t>(centres)));
    point[point_size * i + 6] = static_cast<float>(10 * random.real());
    number[i] = static_cast<std::int32_t>(i < centres ? i : 0);
  }
}

namespace {

float activation(float x) {
  return 1.7159F * std::tanh(0.66666667F * x);
}

/// `maps` of out x out pixels, windows of 5 x 5 with stride 2 in `channels` maps of in x in. Weights: a bias,
/// then [position in the window][channel].
void convolve(HostSpan<float> in, HostSpan<float> weights, HostSpan<float> out, std::int64_t batch,
              std::int64_t channels, std::int64_t size, std::int64_t maps, std::int64_t out_size) {
  for (std::int64_t at = 0; at < batch * maps * out_size * out_size; ++at) {
    const std::int64_t x = at % out_size, y = at / out_size % out_size,
                       map = at / (out_size * out_size) % maps, image = at / (out_size * out_size * maps),
                       w = map * 26 * channels;
    float sum = weights[w];
    for (std::int64_t i = 0; i < 25; ++i)
      for (std::int64_t c = 0; c < channels; ++c)
        sum = std::fma(in[((image * channels + c) * size + y * 2 + i / 5) * size + x * 2 + i % 5],
                       weights[w + 1 + i * channels + c], sum);
    out[at] = activation(sum);
  }
}

void connect(HostSpan<float> in, HostSpan<float> weights, HostSpan<float> out, std::int64_t batch,
             std::int64_t inputs, std::int64_t neurons) {
  for (std::int64_t at = 0; at < batch * neurons; ++at) {
    const std::int64_t w = at % neurons * (inputs + 1);
    float sum = weights[w];
    for (std::int64_t i = 0; i < inputs; ++i)
      sum = std::fma(in[at / neurons * inputs + i], weights[w + 1 + i], sum);
    out[at] = activation(sum);
  }
}

}  // namespace

void digit_network(HostData& data) {
  const std::int64_t batch = data.value("batch");
  const auto image = data.f32("image", batch * 841), layer2 = data.f32("layer2", batch * 1014),
             layer3 = data.f32("layer3", batch * 1250), layer4 = data.f32("layer4", batch * 100),
             layer5 = data.f32("layer5", batch * 10);
  convolve(image, data.f32("weights1", 156), layer2, batch, 1, 29, 6, 13);
  convolve(layer2, data.f32("weights2", 7800), layer3, batch, 6, 13, 50, 5);
  connect(layer3, data.f32("weights3", 125100), layer4, batch, 1250, 100);
  connect(layer4, data.f32("weights4", 1010), layer5, batch, 100, 10);
}

namespace {

constexpr int radius = 5;

/// The linear congruential generator of the benchmark, with 32-bit overflow.
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
