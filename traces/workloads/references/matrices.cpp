#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

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

// C = A B.
void matrix_multiply(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n * n), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    float* const row = c.data() + i * n;
    for (std::int64_t j = 0; j < n; ++j) row[j] = 0.0F;
    for (std::int64_t k = 0; k < n; ++k)  // each element sums over k in ascending order, as the kernel does
      for (std::int64_t j = 0; j < n; ++j) row[j] = std::fma(a[i * n + k], b[k * n + j], row[j]);
  }
}

// C = alpha A B + beta C, alpha = 1.5 and beta = 0.5 as in the workload file.
void gemm(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns"), inner = data.value("inner");
  const auto a = data.f32("a", rows * inner), b = data.f32("b", inner * columns),
             c = data.f32("c", rows * columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0.5F * c[i * columns + j];
      for (std::int64_t k = 0; k < inner; ++k)
        sum = std::fma(1.5F * a[i * inner + k], b[k * columns + j], sum);
      c[i * columns + j] = sum;
    }
  }
}

namespace {

/// C = A B, n x n.
void multiply(HostSpan<float> a, HostSpan<float> b, HostSpan<float> c, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.0F;
      for (std::int64_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      c[i * n + j] = sum;
    }
}

}  // namespace

// E = (A B) C.
void matrix_chain_2(HostData& data) {
  const std::int64_t n = data.value("n");
  multiply(data.f32("a", n * n), data.f32("b", n * n), data.f32("d", n * n), n);
  multiply(data.f32("d", n * n), data.f32("c", n * n), data.f32("e", n * n), n);
}

// G = (A B) (C D).
void matrix_chain_3(HostData& data) {
  const std::int64_t n = data.value("n");
  multiply(data.f32("a", n * n), data.f32("b", n * n), data.f32("e", n * n), n);
  multiply(data.f32("c", n * n), data.f32("d", n * n), data.f32("f", n * n), n);
  multiply(data.f32("e", n * n), data.f32("f", n * n), data.f32("g", n * n), n);
}

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

// C = 1.5 A A' + 0.5 C.
void syrk(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.5F * c[i * n + j];
      for (std::int64_t k = 0; k < m; ++k) sum = std::fma(1.5F * a[i * m + k], a[j * m + k], sum);
      c[i * n + j] = sum;
    }
}

// C = 1.5 (A B' + B A') + 0.5 C.
void syr2k(HostData& data) {
  const std::int64_t n = data.value("n"), m = data.value("m");
  const auto a = data.f32("a", n * m), b = data.f32("b", n * m), c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0.5F * c[i * n + j];
      for (std::int64_t k = 0; k < m; ++k)
        sum += std::fma(1.5F * b[i * m + k], a[j * m + k], 1.5F * a[i * m + k] * b[j * m + k]);
      c[i * n + j] = sum;
    }
}

namespace {

// Rows and columns count from 1; a row has columns + 1 numbers.
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

void transpose(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto in = data.f32("in", n * n), out = data.f32("out", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) out[j * n + i] = in[i * n + j];
}

// The product of a matrix and the transpose of another.
void multiply_transposed(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n * n), t = data.f32("t", n * n),
             c = data.f32("c", n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      t[j * n + i] = b[i * n + j];
      float sum = 0.0F;
      for (std::int64_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[j * n + k], sum);
      c[i * n + j] = sum;
    }
}

void gaussian_elimination(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n), b = data.f32("b", n), m = data.f32("m", n * n);
  for (std::int64_t k = 0; k < n - 1; ++k)
    for (std::int64_t i = k + 1; i < n; ++i) {
      const float factor = a[i * n + k] / a[k * n + k];
      m[i * n + k] = factor;
      for (std::int64_t j = k; j < n; ++j) a[i * n + j] = std::fma(-factor, a[k * n + j], a[i * n + j]);
      b[i] = std::fma(-factor, b[k], b[i]);
    }
}

// Random, with a diagonal that dominates so that no pivots are needed.
void prepare_gaussian_elimination(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto a = data.f32("a", n * n);
  RandomStream random(data.seed_of("a"));
  for (std::int64_t i = 0; i < n * n; ++i)
    a[i] = static_cast<float>(random.real() * 2 - 1 + (i / n == i % n ? static_cast<double>(n) : 0.0));
}

// Doolittle's method in place. Every element sums over k in ascending order, whatever the blocking.
void lu_decomposition(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto m = data.f32("m", n * n);
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = k + 1; i < n; ++i) {
      const float factor = m[i * n + k] / m[k * n + k];
      m[i * n + k] = factor;
      for (std::int64_t j = k + 1; j < n; ++j) m[i * n + j] = std::fma(-factor, m[k * n + j], m[i * n + j]);
    }
  }
}

// Random, with a diagonal that dominates so that no pivots are needed.
void prepare_lu_decomposition(HostData& data) {
  const std::int64_t n = data.value("n");
  const auto m = data.f32("m", n * n);
  RandomStream random(data.seed_of("m"));
  for (std::int64_t i = 0; i < n * n; ++i) m[i] = static_cast<float>(random.real() * 2 - 1);
  for (std::int64_t i = 0; i < n; ++i) m[i * n + i] += static_cast<float>(n);
}

// y = A x, rows in compressed form.
void sparse_matrix_vector(HostData& data) {
  const std::int64_t rows = data.value("rows");
  const auto first = data.i32("first", rows + 1), column = data.i32("column");
  const auto value = data.f32("value", column.size()), x = data.f32("x"), y = data.f32("y", rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::int32_t i = first[row]; i < first[row + 1]; ++i)
      sum += static_cast<double>(value[i]) * x[column[i]];
    y[row] = static_cast<float>(sum);
  }
}

// Rows of different length, from 0 to twice the mean; columns anywhere, ascending in a row.
void prepare_sparse_matrix_vector(HostData& data) {
  const std::int64_t rows = data.value("rows"), mean = data.value("mean");
  const auto first = data.i32("first", rows + 1), column = data.i32("column", rows * mean);
  RandomStream random(data.seed_of("column"));
  std::int64_t used = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    first[row] = static_cast<std::int32_t>(used);
    const std::int64_t left = rows * mean - used;
    const auto wanted = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * mean + 1)));
    const std::int64_t length = row + 1 == rows ? left : std::min(wanted, left);
    for (std::int64_t i = 0; i < length; ++i)
      column[used + i] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(rows)));
    std::sort(column.data() + used, column.data() + used + length);
    used += length;
  }
  first[rows] = static_cast<std::int32_t>(used);
}

namespace {

constexpr std::int64_t warp_lanes = 32;

/// Positions of the numbers in the stiffness matrix of bicubic elements on a square. Nodes are numbered line
/// by line, without the border; a row has the nodes of all elements that contain its own node.
class CubicElements {
 public:
  explicit CubicElements(std::int64_t elements) : side_(3 * elements - 1) {}

  std::vector<std::int32_t> columns(std::int64_t row) const {
    std::vector<std::int32_t> found;
    for (std::int64_t y = first(row / side_); y <= last(row / side_); ++y)
      for (std::int64_t x = first(row % side_); x <= last(row % side_); ++x)
        found.push_back(static_cast<std::int32_t>(y * side_ + x));
    return found;
  }

 private:
  // Along an axis every third node, 2, 5, 8..., is the corner of two elements.
  static std::int64_t first(std::int64_t node) { return std::max<std::int64_t>(node / 3 * 3 - 1, 0); }
  std::int64_t last(std::int64_t node) const { return std::min((node + 1) / 3 * 3 + 2, side_ - 1); }

  std::int64_t side_;
};

}  // namespace

// y = A x from the jagged diagonals, row by row.
void jagged_matrix_vector(HostData& data) {
  const std::int64_t rows = data.value("rows");
  const auto diagonals = data.i32("diagonals"),
             lengths = data.i32("lengths", (rows + warp_lanes - 1) / warp_lanes);
  const auto column = data.i32("column"), row_of = data.i32("row_of", rows);
  const auto value = data.f32("value", column.size()), x = data.f32("x", rows), y = data.f32("y", rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int32_t k = 0; k < lengths[i / warp_lanes]; ++k) {
      const std::int64_t at = diagonals[k] + i;
      sum += static_cast<double>(value[at]) * x[column[at]];
    }
    y[row_of[i]] = static_cast<float>(sum);
  }
}

// Longest rows first, equal ones in their order; the padding of a warp's rows is zero, in column 0.
void prepare_jagged_matrix_vector(HostData& data) {
  const std::int64_t rows = data.value("rows");
  const CubicElements matrix(data.value("elements"));
  std::vector<std::vector<std::int32_t>> columns;
  for (std::int64_t row = 0; row < rows; ++row) columns.push_back(matrix.columns(row));
  const auto row_of = data.i32("row_of", rows);
  std::iota(row_of.begin(), row_of.end(), 0);
  std::stable_sort(row_of.begin(), row_of.end(),
                   [&](std::int32_t a, std::int32_t b) { return columns[a].size() > columns[b].size(); });

  const auto lengths = data.i32("lengths", (rows + warp_lanes - 1) / warp_lanes);
  for (std::int64_t i = 0; i < rows; i += warp_lanes)
    lengths[i / warp_lanes] = static_cast<std::int32_t>(columns[row_of[i]].size());
  const std::int64_t longest = lengths[0];
  const auto diagonals = data.i32("diagonals", longest);
  const auto column = data.i32("column", data.value("numbers"));
  const auto value = data.f32("value", column.size());
  RandomStream random(data.seed_of("value"));
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < longest; ++k) {
    diagonals[k] = static_cast<std::int32_t>(at);
    for (std::int64_t i = 0; i < rows && lengths[i / warp_lanes] > k; ++i, ++at) {
      const auto& row = columns[row_of[i]];
      if (k >= static_cast<std::int64_t>(row.size())) continue;
      column[at] = row[k];
      value[at] = static_cast<float>(2 * random.real() - 1);
    }
  }
}

}  // namespace strata::traces::references
