#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/common/stats.h"
#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// A counter and its value.
struct CounterRow {
  std::string name, unit, sentence;
  std::uint64_t value = 0;
  bool rare = false;                                       ///< StatInfo::rare
  bool is_left_out() const { return rare && value == 0; }  ///< left out of results and their digest
};

struct HistogramRow {
  std::string name, unit, sentence;
  Histogram value;
};

struct RatioRow {
  std::string name, unit, sentence;
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
};

/// All statistics of one instance, read in one pass.
struct InstanceStats {
  std::string instance;  ///< "llc[3]"; in a description the name of the module
  std::string kind;      ///< name of the module
  std::vector<CounterRow> counters;
  std::vector<HistogramRow> histograms;
  std::vector<RatioRow> ratios;
  std::vector<std::string> laws;
  Role role = Role::none;

  const CounterRow* counter(std::string_view name) const;
  const RatioRow* ratio(std::string_view name) const;
};

/// `like`: another instance of probably the same size; null: none.
InstanceStats read_stats(std::string instance, const ModuleKind& kind, const StatSet& stats,
                         const InstanceStats* like = nullptr);

/// Sum of a counter over the instances of a role; instances without it count 0.
std::uint64_t sum_of(const std::vector<InstanceStats>& tables, Role role, std::string_view counter);

/// Statistics of every instance, in the order of the platform.
std::vector<InstanceStats> read_stats(const Platform& platform);

/// Sum of the ledgers of all blocks that make accesses.
LedgerTotals read_ledger(const Platform& platform);

/// Counts between two readings of the same platform; a counter that has fallen counts 0.
std::vector<InstanceStats> difference(const std::vector<InstanceStats>& now,
                                      const std::vector<InstanceStats>& before);
LedgerTotals difference(const LedgerTotals& now, const LedgerTotals& before);
void add(std::vector<InstanceStats>& sum, const std::vector<InstanceStats>& more);

}  // namespace strata::platforms
