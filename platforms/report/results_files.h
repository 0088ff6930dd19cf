#pragma once

#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/engine/plugins/plugin_file.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/summary.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {

/// Version of the layout of stats.json: incremented when a name is removed or changes its meaning.
constexpr int results_schema_version = 2;
/// RunRecord::reason of a run in which all applications were measured.
constexpr const char applications_measured[] = "every application is measured";

/// All results of a finished run.
struct RunRecord {
  std::string version;   ///< of Strata
  std::string command;   ///< as typed
  std::string platform;  ///< title of the netlist
  std::string platform_file;
  std::vector<std::string> withs;  ///< for each --with: its file and its settings
  std::vector<std::string> sets;
  PluginFiles plugins;
  std::string trace;      ///< description of its source
  std::string read_from;  ///< the trace, PTX, or a record of the cache
  std::uint64_t seed = 1;
  bool check_protocol = false;
  std::uint64_t max_instructions = 0;
  std::string started;  ///< UTC

  bool partial = false;
  std::string reason;  ///< why partial: "interrupted", "max-instructions", "deadlock", ...
  int exit_code = 0;
  std::vector<std::string> messages;  ///< error messages
  std::uint64_t warnings = 0;
  std::uint64_t protocol_violations = 0;
  std::uint64_t protocol_transactions = 0;  ///< checked transactions, each counted once per binding

  Cycle cycles = 0;
  std::vector<InstanceStats> tables;
  LedgerTotals ledger;
  LedgerPlaces places;  ///< places of its rows
  Summary summary;
  std::vector<SourceGap> source_gaps;            ///< of all programs, by reason
  Verdict verdict;                               ///< what limited it
  std::vector<ApplicationFigures> applications;  ///< if there are several; empty for one
  std::uint64_t digest = 0;
};

std::string stats_json(const RunRecord& record);
/// `group,place,cause,cycles,share,mean_per_access`
std::string ledger_csv(const LedgerTotals& ledger, const LedgerPlaces& places);
std::string_view group_name(int group);

}  // namespace strata::platforms
