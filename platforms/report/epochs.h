#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// Time series of the main counters: what happened in each epoch, not since the start.
class EpochSeries {
 public:
  explicit EpochSeries(const Platform& platform);
  /// Ends an epoch in core cycle `now`.
  void sample(Cycle now);
  /// One line an epoch; the first line names the columns.
  std::string csv() const;
  std::size_t epochs() const { return rows_.size(); }

 private:
  struct Row {
    Cycle end;
    std::vector<std::uint64_t> values;
  };
  struct Reading {
    const Block* block;
    std::vector<int> column;  // of each counter the block visits: the column it adds to, or none
  };
  std::vector<Reading> readings_;
  std::vector<std::uint64_t> last_;
  std::vector<Row> rows_;
};

}  // namespace strata::platforms
