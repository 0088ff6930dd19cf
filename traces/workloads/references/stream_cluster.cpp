#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

// A point: weight, the point that is its centre in place 4, its cost in place 6.
constexpr std::int64_t point_size = 8;

}  // namespace

// The candidates 0, step, 2 step, ...; the sums of the last are left.
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

// Every point belongs to a random one of the centres, which are the first points.
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

}  // namespace strata::traces::references
