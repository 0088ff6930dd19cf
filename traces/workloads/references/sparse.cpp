#include <algorithm>
#include <cmath>

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

}  // namespace strata::traces::references
