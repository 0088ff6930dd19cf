#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

void along_rows(HostSpan<float> a, HostSpan<float> x, HostSpan<float> y, std::int64_t rows,
                std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) y[i] = std::fma(a[i * columns + j], x[j], y[i]);
}

void along_columns(HostSpan<float> a, HostSpan<float> x, HostSpan<float> y, std::int64_t rows,
                   std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) y[j] = std::fma(a[i * columns + j], x[i], y[j]);
}

}  // namespace

// y = A' (A x)
void atax(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m), x = data.f32("x", m), t = data.f32("t", n), y = data.f32("y", m);
  along_rows(a, x, t, n, m);
  along_columns(a, t, y, n, m);
}

// q = A p, s = A' r
void bicg(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m);
  along_columns(a, data.f32("r", n), data.f32("s", m), n, m);
  along_rows(a, data.f32("p", m), data.f32("q", n), n, m);
}

// x1 += A y1, x2 += A' y2
void mvt(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n);
  along_rows(a, data.f32("y1", n), data.f32("x1", n), n, n);
  along_columns(a, data.f32("y2", n), data.f32("x2", n), n, n);
}

}  // namespace strata::traces::references
