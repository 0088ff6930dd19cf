#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

// Rows and columns count from 1; a row is columns + 1 numbers long.
struct Columns {
  std::vector<double> mean, deviation;
};

Columns measure(HostSpan<float> data, std::int64_t rows, std::int64_t columns) {
  Columns c{std::vector<double>(columns + 1), std::vector<double>(columns + 1)};
  for (std::int64_t j = 1; j <= columns; ++j) {
    for (std::int64_t i = 1; i <= rows; ++i)
      c.mean[j] += data[i * (columns + 1) + j] / static_cast<double>(rows);
    for (std::int64_t i = 1; i <= rows; ++i)
      c.deviation[j] += std::pow(data[i * (columns + 1) + j] - c.mean[j], 2) / static_cast<double>(rows);
    c.deviation[j] = std::sqrt(c.deviation[j]);
    if (c.deviation[j] <= 0.005) c.deviation[j] = 1;
  }
  return c;
}

void product(const std::vector<double>& x, HostSpan<float> out, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t a = 1; a <= columns; ++a)
    for (std::int64_t b = 1; b <= columns; ++b) {
      double sum = 0;
      for (std::int64_t i = 1; i <= rows; ++i) sum += x[i * (columns + 1) + a] * x[i * (columns + 1) + b];
      out[a * (columns + 1) + b] = static_cast<float>(sum);
    }
}

}  // namespace

// Both in double precision. The covariance is not divided by the number of rows, as in PolyBench.
void covariance(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns"), pitch = columns + 1;
  const auto in = data.f32("data", (rows + 1) * pitch), out = data.f32("result", pitch * pitch);
  const Columns c = measure(in, rows, columns);
  std::vector<double> x(in.begin(), in.end());
  for (std::int64_t i = pitch; i < (rows + 1) * pitch; ++i) x[i] -= c.mean[i % pitch];
  product(x, out, rows, columns);
}

void correlation(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns"), pitch = columns + 1;
  const auto in = data.f32("data", (rows + 1) * pitch), out = data.f32("result", pitch * pitch);
  const Columns c = measure(in, rows, columns);
  std::vector<double> x(in.begin(), in.end());
  for (std::int64_t i = pitch; i < (rows + 1) * pitch; ++i)
    x[i] = (x[i] - c.mean[i % pitch]) / (std::sqrt(static_cast<double>(rows)) * c.deviation[i % pitch]);
  product(x, out, rows, columns);
}

}  // namespace strata::traces::references
