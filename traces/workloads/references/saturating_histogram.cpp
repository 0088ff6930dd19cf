#include <algorithm>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

constexpr std::uint32_t range_bins = 24 * 1024;

}  // namespace

// The ranges are what the workload launches CTAs for; the kernel has to find the same.
void saturating_histogram(HostData& data) {
  const auto values = data.u32("values"), ranges = data.u32("ranges", 2);
  const auto places = data.u8("places", 4 * values.size());
  const auto histogram = data.u8("histogram", static_cast<std::uint64_t>(data.value("bins")));
  std::fill(histogram.begin(), histogram.end(), std::uint8_t{0});
  ranges[0] = static_cast<std::uint32_t>(data.value("first"));
  ranges[1] = static_cast<std::uint32_t>(data.value("last"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t value = values[i], inside = value % range_bins;
    std::uint8_t& count = histogram[value];
    if (count < 255) ++count;
    // Neighbours of a row are written half a row apart.
    const auto width = static_cast<std::size_t>(data.value("width"));
    const std::size_t column = i % width, at = i - column + column / 2 + column % 2 * (width / 2);
    std::uint8_t* const place = places.data() + 4 * at;
    place[0] = static_cast<std::uint8_t>(value / range_bins);
    place[1] = static_cast<std::uint8_t>(inside / 1024);
    place[2] = static_cast<std::uint8_t>(inside / 4 % 256);
    place[3] = static_cast<std::uint8_t>(inside % 4 * 8);
  }
}

// Nearly normal numbers, sums of twelve uniform ones, around the middle bin.
void prepare_saturating_histogram(HostData& data) {
  const auto values = data.u32("values"), ranges = data.u32("ranges", 2);
  const auto middle = static_cast<double>(data.value("bins") / 2);
  const auto spread = static_cast<double>(data.value("spread"));
  RandomStream random(data.seed_of("values"));
  for (std::uint32_t& value : values) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.real();
    value = static_cast<std::uint32_t>(middle + spread * sum);
  }
  ranges[0] = 0xffffffff;
  ranges[1] = 0;
}

}  // namespace strata::traces::references
