#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platforms/report/resource_loads.h"

namespace strata::platforms {

/// Counters of a platform's blocks at the end of a run, from stats.json.
class RecordedCounts {
 public:
  /// `stats`: as read_results() returns it. Instances missing there count as zero. Throws ConfigError for
  /// causes that no ledger has.
  RecordedCounts(const ResolvedNetlist& netlist, const nlohmann::ordered_json& stats);

  /// For resource_loads() and judge(); valid as long as this object.
  RunCounts counts() const { return {netlist_, tables_, ledger_, places_, cycles_}; }
  /// In the order of the netlist.
  const std::vector<InstanceStats>& tables() const { return tables_; }
  const InstanceStats& table(int group, int index) const;
  Cycle cycles() const { return cycles_; }

 private:
  void read_ledger(const nlohmann::ordered_json& stats);

  const ResolvedNetlist& netlist_;
  std::vector<InstanceStats> tables_;
  std::vector<std::size_t> first_;  // first table of each group
  LedgerTotals ledger_;
  LedgerPlaces places_;
  Cycle cycles_ = 0;
};

}  // namespace strata::platforms
