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
    std::vector<std::vector<int>> columns_of;  // of each counter that the block visits
    std::vector<std::uint64_t> before;         // what each counter was at the end of the last epoch
  };
  std::vector<Reading> readings_;
  std::vector<bool> present_;  // columns of which the platform has the module
  std::vector<Row> rows_;
};

}  // namespace strata::platforms
