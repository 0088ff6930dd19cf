#include <algorithm>
#include <cmath>

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

namespace {

/// Rounds with q0 = 0.05 and lambda = 0.5 in double precision. South and east take part alike, so that it
/// does not matter whether rows or columns follow one after the other.
void diffuse(std::vector<double>& now, std::int64_t rows, std::int64_t columns, std::int64_t rounds) {
  std::vector<double> c(now.size());
  const auto near = [&](std::int64_t i, std::int64_t j) {
    return std::clamp<std::int64_t>(i, 0, rows - 1) * columns + std::clamp<std::int64_t>(j, 0, columns - 1);
  };
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      double squares = 0, sum = 0;
      for (const std::int64_t other : {near(i - 1, j), near(i + 1, j), near(i, j - 1), near(i, j + 1)}) {
        squares += std::pow(now[other] - now[at], 2);
        sum += now[other] - now[at];
      }
      const double gradient = squares / (now[at] * now[at]), laplace = sum / now[at];
      const double q = (0.5 * gradient - 0.0625 * laplace * laplace) / std::pow(1 + 0.25 * laplace, 2);
      c[at] = std::clamp(1 / (1 + (q - 0.05) / (0.05 * 1.05)), 0.0, 1.0);
    }
    std::vector<double> next = now;
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      const double divergence =
          c[at] * (now[near(i - 1, j)] - now[at]) + c[near(i + 1, j)] * (now[near(i + 1, j)] - now[at]) +
          c[at] * (now[near(i, j - 1)] - now[at]) + c[near(i, j + 1)] * (now[near(i, j + 1)] - now[at]);
      next[at] += 0.25 * 0.5 * divergence;
    }
    now.swap(next);
  }
}

}  // namespace

void speckle_diffusion(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto image = data.f32("image", rows * columns);
  std::vector<double> now(image.begin(), image.end());
  diffuse(now, rows, columns, data.value("rounds"));
  for (std::size_t i = 0; i < now.size(); ++i) image[i] = static_cast<float>(now[i]);
}

// Column after column, exponential from 0 to 255 and back.
void speckle_columns(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto image = data.f32("image", rows * columns);
  std::vector<double> now(image.begin(), image.end());
  for (double& pixel : now) pixel = std::exp(pixel / 255);
  diffuse(now, columns, rows, data.value("rounds"));
  for (std::size_t i = 0; i < now.size(); ++i) image[i] = static_cast<float>(255 * std::log(now[i]));
}

// The numbers of the rows and columns beside each, the border's own at the border.
void prepare_speckle_columns(HostData& data) {
  const auto fill = [&](const char* name, const char* count, std::int64_t step) {
    const std::int64_t n = data.value(count);
    const auto beside = data.i32(name, n);
    for (std::int64_t i = 0; i < n; ++i)
      beside[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(i + step, 0, n - 1));
  };
  fill("north_of", "rows", -1);
  fill("south_of", "rows", 1);
  fill("west_of", "columns", -1);
  fill("east_of", "columns", 1);
}

}  // namespace strata::traces::references
