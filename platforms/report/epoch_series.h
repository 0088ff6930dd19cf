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
  /// The accesses of each LLC slice in each epoch; empty when there is no slice.
  std::string slices_csv() const;
  std::size_t epochs() const { return rows_.size(); }

 private:
  struct Row {
    Cycle end;
    std::vector<std::uint64_t> values;
    std::vector<std::uint64_t> slices;  // accesses of each
  };
  struct Reading {
    const Block* block;
    std::vector<std::vector<int>> columns_of;  // of each counter that the block visits
    std::vector<std::uint64_t> before;         // what each counter was at the end of the last epoch
    int slice_accesses = -1;                   // that counter of a slice
  };
  std::vector<Reading> readings_;
  std::vector<bool> present_;        // columns of which the platform has the module
  std::vector<std::string> slices_;  // their names
  std::vector<Row> rows_;
};

}  // namespace strata::platforms
