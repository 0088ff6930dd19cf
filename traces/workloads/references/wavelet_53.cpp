#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

constexpr std::int64_t tile = 64;

/// One line of a tile, samples `step` apart, into its smooth half and its detail half.
void lift(const std::int32_t* in, std::int32_t* out, std::int64_t step) {
  const auto at = [&](std::int64_t i) {  // mirrored at both ends
    i = i < 0 ? -i : i >= tile ? 2 * tile - 2 - i : i;
    return static_cast<std::int64_t>(in[i * step]);
  };
  const auto detail = [&](std::int64_t i) { return at(i) - ((at(i - 1) + at(i + 1)) >> 1); };
  for (std::int64_t i = 0; i < tile; i += 2) {
    out[i / 2 * step] = static_cast<std::int32_t>(at(i) + ((detail(i - 1) + detail(i + 1) + 2) >> 2));
    out[(tile / 2 + i / 2) * step] = static_cast<std::int32_t>(detail(i + 1));
  }
}

}  // namespace

void wavelet_53(HostData& data) {
  const std::int64_t width = data.value("width"), height = data.value("height");
  const auto image = data.i32("image", width * height), bands = data.i32("bands", width * height);
  std::vector<std::int32_t> rows(image.size());
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; x += tile)
      lift(image.data() + y * width + x, rows.data() + y * width + x, 1);
  for (std::int64_t y = 0; y < height; y += tile)
    for (std::int64_t x = 0; x < width; ++x)
      lift(rows.data() + y * width + x, bands.data() + y * width + x, width);
}

}  // namespace strata::traces::references
