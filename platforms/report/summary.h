#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// One figure of the summary. Its name is a contract: other programs read it from stats.json.
struct SummaryRow {
  std::string name, unit, sentence;
  bool whole = true;  ///< `count` holds the value, else `real`
  std::uint64_t count = 0;
  std::optional<double> real;  ///< empty: a ratio whose denominator is 0
  std::string absent = {};     ///< why it has no value: which module the platform lacks; empty: it has one
  double value() const { return whole ? static_cast<double>(count) : real.value_or(0.0); }
};

/// What the host spent; the only figures of a run that differ between two equal runs.
struct HostCost {
  double cpu_seconds = 0;  ///< user and system time of the process during the simulation
  double wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  double process_cpu_seconds = 0;  ///< since the process began: with reading netlist and workload
};

class Summary {
 public:
  std::vector<SummaryRow> rows;
  /// What no figure takes in, a sentence each: counters of modules without a role, what the trace names
  /// without saying what it moves or orders, and what programs say that is not modelled.
  std::vector<std::string> uncounted;
  const SummaryRow* find(std::string_view name) const;
};

/// Add up the counters of all instances by the table in summary.cpp: what was simulated, without its cost.
Summary simulated_figures(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles);

/// The same, and what it cost.
Summary summarize(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles,
                  const HostCost& host);

/// What the summary does not say: the absent figures, those of one reason together, and `uncounted`.
std::vector<std::string> gaps(const Summary& summary);
/// One figure of that table, over any tables. `name` must be one of its rows.
SummaryRow figure(std::string_view name, const std::vector<InstanceStats>& tables, Cycle cycles);

/// Numerator over denominator; nothing when that is 0.
std::optional<double> quotient(std::uint64_t numerator, std::uint64_t denominator);

/// Unit and definition of every summary figure, values zero.
Summary describe_summary();

/// Faults: a counter or ratio that the table names but the module does not have.
Faults check_summary_mapping(const ModuleTable& modules = built_in_modules());

}  // namespace strata::platforms
