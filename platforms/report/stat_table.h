#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/common/stats.h"
#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// A counter as it stood when it was read.
struct CounterRow {
  std::string name, unit, sentence;
  std::uint64_t value = 0;
  bool rare = false;                                       ///< StatInfo::rare
  bool is_left_out() const { return rare && value == 0; }  ///< of results and their digest
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

/// All statistics of one instance, read in one walk.
struct InstanceStats {
  std::string instance;  ///< "llc[3]"; the name of the module in a description
  std::string kind;      ///< name of the module
  std::vector<CounterRow> counters;
  std::vector<HistogramRow> histograms;
  std::vector<RatioRow> ratios;
  std::vector<std::string> laws;
  Role role = Role::none;

  const CounterRow* counter(std::string_view name) const;
  const RatioRow* ratio(std::string_view name) const;
};

/// `like`: of another instance, which may have as many; null: nothing is known.
InstanceStats read_stats(std::string instance, const ModuleKind& kind, const StatSet& stats,
                         const InstanceStats* like = nullptr);

/// Sum of a counter over the instances that have a role; 0 for those without that counter.
std::uint64_t sum_of(const std::vector<InstanceStats>& tables, Role role, std::string_view counter);

/// Of every instance, in the order of the platform.
std::vector<InstanceStats> read_stats(const Platform& platform);

/// Ledgers of every block that makes accesses, added up.
LedgerTotals read_ledger(const Platform& platform);

/// What was counted between two readings of the same platform; what stood higher before counts nothing.
std::vector<InstanceStats> difference(const std::vector<InstanceStats>& now,
                                      const std::vector<InstanceStats>& before);
LedgerTotals difference(const LedgerTotals& now, const LedgerTotals& before);
void add(std::vector<InstanceStats>& sum, const std::vector<InstanceStats>& more);

}  // namespace strata::platforms
