#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// Time series of the main counters: what happened in each epoch, not since the start.
class EpochSeries {
 public:
  /// `l1s`: also the accesses of each L1.
  explicit EpochSeries(const Platform& platform, bool l1s = false);
  /// Those that csv() can have, but for times and quotients.
  static std::vector<std::string> column_names();
  /// What a column holds: the counter of a role, over its instances.
  static std::string column_sentence(std::string_view column);
  /// Ends an epoch in core cycle `now`.
  void sample(Cycle now);
  /// One line an epoch; the first line names the columns.
  std::string csv() const;
  /// The accesses of each LLC slice in each epoch; empty when there is no slice.
  std::string slices_csv() const { return members_csv(slices_); }
  /// The same of each L1; empty unless they were asked for.
  std::string l1s_csv() const { return members_csv(l1s_); }
  /// Where the run ends with epochs in which fewer than half of `sms` SMs have a CTA, and before twice as
  /// many had one: "in the last 13.1 % of the time 24.0 % of the SMs have work, ...". Empty: no such tail, or
  /// fewer than four epochs.
  std::string tail(int sms) const;
  std::size_t epochs() const { return rows_.size(); }

 private:
  /// One counter of each instance of a role.
  struct Members {
    std::vector<std::string> names;
    std::vector<std::vector<std::uint64_t>> rows;  // of each epoch
  };
  struct Row {
    Cycle end;
    std::vector<std::uint64_t> values;
  };
  struct Reading {
    const Block* block;
    std::vector<std::vector<int>> columns_of;  // of each counter that the block visits
    std::vector<std::uint64_t> before;         // what each counter was at the end of the last epoch
    Members EpochSeries::*members = nullptr;   // that it is one of
    std::size_t own = 0;                       // its counter there
  };
  std::string members_csv(const Members& members) const;

  std::vector<Reading> readings_;
  std::vector<bool> present_;  // columns of which the platform has the module
  Members slices_, l1s_;
  std::vector<Row> rows_;
};

}  // namespace strata::platforms
