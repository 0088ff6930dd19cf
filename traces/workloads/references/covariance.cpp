#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

struct Columns {
  std::vector<double> mean, deviation;
};

Columns measure(HostSpan<float> data, std::int64_t rows, std::int64_t columns) {
  Columns c{std::vector<double>(columns), std::vector<double>(columns)};
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) c.mean[j] += data[i * columns + j] / static_cast<double>(rows);
    for (std::int64_t i = 0; i < rows; ++i)
      c.deviation[j] += std::pow(data[i * columns + j] - c.mean[j], 2) / static_cast<double>(rows);
    c.deviation[j] = std::sqrt(c.deviation[j]);
    if (c.deviation[j] <= 0.005) c.deviation[j] = 1;
  }
  return c;
}

void product(const std::vector<double>& x, HostSpan<float> out, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t a = 0; a < columns; ++a)
    for (std::int64_t b = 0; b < columns; ++b) {
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) sum += x[i * columns + a] * x[i * columns + b];
      out[a * columns + b] = static_cast<float>(sum);
    }
}

}  // namespace

// Both in double precision. The covariance is not divided by the number of rows, as in PolyBench.
void covariance(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("data", rows * columns), out = data.f32("result", columns * columns);
  const Columns c = measure(in, rows, columns);
  std::vector<double> x(in.begin(), in.end());
  for (std::int64_t i = 0; i < rows * columns; ++i) x[i] -= c.mean[i % columns];
  product(x, out, rows, columns);
}

void correlation(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("data", rows * columns), out = data.f32("result", columns * columns);
  const Columns c = measure(in, rows, columns);
  std::vector<double> x(in.begin(), in.end());
  for (std::int64_t i = 0; i < rows * columns; ++i)
    x[i] = (x[i] - c.mean[i % columns]) / (std::sqrt(static_cast<double>(rows)) * c.deviation[i % columns]);
  product(x, out, rows, columns);
}

}  // namespace strata::traces::references
