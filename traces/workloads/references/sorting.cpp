#include <algorithm>
#include <cmath>
#include <numeric>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void radix_sort(HostData& data) {
  const auto keys = data.u32("keys");
  std::sort(keys.begin(), keys.end());
}

void merge_sort_blocks(HostData& data) {
  constexpr std::size_t block = 1024;
  const auto in_keys = data.u32("in_keys"), in_values = data.u32("in_values", in_keys.size()),
             keys = data.u32("keys", in_keys.size()), values = data.u32("values", in_keys.size());
  std::vector<std::size_t> order(block);
  for (std::size_t base = 0; base + block <= in_keys.size(); base += block) {
    std::iota(order.begin(), order.end(), base);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return in_keys[a] < in_keys[b]; });
    for (std::size_t i = 0; i < block; ++i) {
      keys[base + i] = in_keys[order[i]];
      values[base + i] = in_values[order[i]];
    }
  }
}

// One histogram a CTA: word i belongs to CTA (i / 256) mod CTAs.
void histogram(HostData& data) {
  const std::int64_t ctas = data.value("ctas");
  const auto words = data.u32("data"), partial = data.u32("partial", ctas * 256);
  for (std::uint32_t& count : partial) count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t* const bins = partial.data() + i / 256 % static_cast<std::size_t>(ctas) * 256;
    for (int byte = 0; byte < 4; ++byte) ++bins[words[i] >> (8 * byte) & 255];
  }
}

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
