#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

std::int64_t floor_shift(std::int64_t value, int bits) {
  return value >> bits;
}

/// One line of `n` samples, `step` apart, into its smooth half and its detail half.
void lift(const std::int32_t* in, std::int32_t* out, std::int64_t n, std::int64_t step) {
  const auto at = [&](std::int64_t i) {  // mirrored at both ends
    i = i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
    return static_cast<std::int64_t>(in[i * step]);
  };
  const auto detail = [&](std::int64_t i) { return at(i) - floor_shift(at(i - 1) + at(i + 1), 1); };
  for (std::int64_t i = 0; i < n; i += 2) {
    out[i / 2 * step] = static_cast<std::int32_t>(at(i) + floor_shift(detail(i - 1) + detail(i + 1) + 2, 2));
    out[(n / 2 + i / 2) * step] = static_cast<std::int32_t>(detail(i + 1));
  }
}

}  // namespace

void wavelet_53(HostData& data) {
  const std::int64_t width = data.value("width"), height = data.value("height");
  const auto image = data.i32("image", width * height), bands = data.i32("bands", width * height);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(width * height));
  for (std::int64_t y = 0; y < height; ++y) lift(image.data() + y * width, rows.data() + y * width, width, 1);
  for (std::int64_t x = 0; x < width; ++x) lift(rows.data() + x, bands.data() + x, height, width);
}

}  // namespace strata::traces::references
