#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// One figure of the summary. Its name is a stable interface: other programs read it from stats.json.
struct SummaryRow {
  std::string name, unit, sentence;
  bool whole = true;  ///< `count` holds the value, otherwise `real`
  std::uint64_t count = 0;
  std::optional<double> real;  ///< empty: a ratio whose denominator is 0
  std::string absent = {};     ///< why it has no value: the module that the platform lacks; empty: it has one
  double value() const { return whole ? static_cast<double>(count) : real.value_or(0.0); }
};

/// Cost on the host: the only figures that differ between two equal runs.
struct HostCost {
  double cpu_seconds = 0;  ///< user and system time of the process during the simulation
  double wall_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  double process_cpu_seconds =
      0;  ///< since the process began, including the time to read netlist and workload
};

class Summary {
 public:
  std::vector<SummaryRow> rows;
  /// Everything that no figure includes, one sentence each: counters of modules without a role, instructions
  /// of the trace without a known effect, and what programs report as not modelled.
  std::vector<std::string> uncounted;
  const SummaryRow* find(std::string_view name) const;
};

/// Sums the counters of all instances by the table in summary.cpp: the simulation, without its cost on the
/// host.
Summary simulated_figures(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles);

/// Like simulated_figures(), with the cost on the host.
Summary summarize(const std::vector<InstanceStats>& tables, const LedgerTotals& ledger, Cycle cycles,
                  const HostCost& host);

/// What the summary lacks: absent figures, grouped by reason, and `uncounted`.
std::vector<std::string> gaps(const Summary& summary);
/// One figure of that table, from any tables. `name` must be one of its rows.
SummaryRow figure(std::string_view name, const std::vector<InstanceStats>& tables, Cycle cycles);

/// Numerator over denominator; empty if the denominator is 0.
std::optional<double> quotient(std::uint64_t numerator, std::uint64_t denominator);

/// Unit and definition of every summary figure, values zero.
Summary describe_summary();

/// Faults: a counter or ratio that the table names but the module does not have.
Faults check_summary_mapping(const ModuleTable& modules = built_in_modules());

}  // namespace strata::platforms
