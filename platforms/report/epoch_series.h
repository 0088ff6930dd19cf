#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// Time series of the main counters: the events of each epoch, not the sum since the start.
class EpochSeries {
 public:
  /// `l1s`: also record the accesses of each L1.
  explicit EpochSeries(const Platform& platform, bool l1s = false);
  /// All columns that csv() may have, except times and quotients.
  static std::vector<std::string> column_names();
  /// Meaning of a column: the counter of a role, over its instances.
  static std::string column_sentence(std::string_view column);
  /// Ends an epoch in core cycle `now`.
  void sample(Cycle now);
  /// One line per epoch; the first line names the columns.
  std::string csv() const;
  /// The accesses of each LLC slice in each epoch; empty if there is no slice.
  std::string slices_csv() const { return members_csv(slices_); }
  /// The accesses of each L1 in each epoch; empty unless requested.
  std::string l1s_csv() const { return members_csv(l1s_); }
  /// Detects a tail: the run ends with epochs in which fewer than half of `sms` SMs have a CTA, after epochs
  /// in which twice as many had one: "in the last 13.1 % of the time 24.0 % of the SMs have work, ...".
  /// Empty: no such tail, or fewer than four epochs.
  std::string tail(int sms) const;
  std::size_t epochs() const { return rows_.size(); }

 private:
  /// One counter of each instance of a role.
  struct Members {
    std::vector<std::string> names;
    std::vector<std::vector<std::uint64_t>> rows;  // per epoch
  };
  struct Row {
    Cycle end;
    std::vector<std::uint64_t> values;
  };
  struct Reading {
    const Block* block;
    std::vector<std::vector<int>> columns_of;  // by counter, in the order in which the block visits them
    std::vector<std::uint64_t> before;         // value of each counter at the end of the last epoch
    Members EpochSeries::*members = nullptr;   // the member series it belongs to
    std::size_t own = 0;                       // index of its counter there
  };
  std::string members_csv(const Members& members) const;

  std::vector<Reading> readings_;
  std::vector<bool> present_;  // columns whose module the platform has
  Members slices_, l1s_;
  std::vector<Row> rows_;
};

}  // namespace strata::platforms
