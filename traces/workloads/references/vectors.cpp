#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

template <class T, class Operation>
void apply(HostSpan<T> a, HostSpan<T> b, HostSpan<T> c, Operation operation) {
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = operation(a[i], b[i]);
}

}  // namespace

void double_add(HostData& data) {
  apply(data.f64("a"), data.f64("b"), data.f64("c"), [](double a, double b) { return a + b; });
}
void double_multiply(HostData& data) {
  apply(data.f64("a"), data.f64("b"), data.f64("c"), [](double a, double b) { return a * b; });
}
void double_divide(HostData& data) {
  apply(data.f64("a"), data.f64("b"), data.f64("c"), [](double a, double b) { return a / b; });
}
void long_add(HostData& data) {
  apply(data.i64("a"), data.i64("b"), data.i64("c"), [](std::int64_t a, std::int64_t b) { return a + b; });
}
void long_multiply(HostData& data) {
  apply(data.i64("a"), data.i64("b"), data.i64("c"), [](std::int64_t a, std::int64_t b) { return a * b; });
}
void long_divide(HostData& data) {
  apply(data.i64("a"), data.i64("b"), data.i64("c"), [](std::int64_t a, std::int64_t b) { return a / b; });
}
void multiply_add(HostData& data) {
  apply(data.f32("a"), data.f32("b"), data.f32("c"), [](float a, float b) { return std::fma(a, b, 1.0F); });
}
void triad(HostData& data) {
  apply(data.f32("a"), data.f32("b"), data.f32("c"), [](float a, float b) { return std::fma(1.75F, b, a); });
}

void vector_add(HostData& data) {
  const auto a = data.f32("a"), b = data.f32("b", a.size()), c = data.f32("c");
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
}

// In double precision: the kernel adds in another order.
void reduction(HostData& data) {
  const auto in = data.f32("in"), sums = data.f32("sums");
  std::vector<double> exact(sums.size());
  for (std::size_t i = 0; i < in.size(); ++i) exact[i / 512 % sums.size()] += in[i];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(exact[i]);
}

void scan(HostData& data) {
  const auto in = data.u32("in"), out = data.u32("out", in.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = sum += in[i];
}

}  // namespace strata::traces::references
