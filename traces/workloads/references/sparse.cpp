#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

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

/// Where the numbers of the stiffness matrix of bicubic elements on a square stand. Nodes are numbered line
/// by line, without those of the border; a row has the nodes of all elements that its own one is part of.
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

// Longest rows first, equal ones in their order; what fills up the rows of a warp is zero, in column 0.
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
