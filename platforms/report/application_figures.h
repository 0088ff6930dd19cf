#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/ledger_totals.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/report/summary.h"

namespace strata::platforms {

/// The state of one of several applications when it issued its budget or ended its program, whichever came
/// first; or its present state if neither has come.
struct ApplicationFigures {
  std::string trace;         ///< description of its source
  std::string organization;  ///< organization of the LLC for this application; empty if there is no control
  int first_sm = 0;          ///< in each cluster
  int sms = 0;               ///< in each cluster
  std::uint64_t budget = 0;  ///< thread instructions; 0 = the whole program
  bool measured = false;     ///< the budget or the end of the program was reached
  bool ended = false;        ///< it was the end of the program
  Cycle cycles = 0;          ///< core cycles until then
  std::uint64_t kernels_done = 0;
  std::uint64_t passes = 0;           ///< completed executions of the program by the end of the run
  std::vector<InstanceStats> tables;  ///< counters that blocks keep per application
  LedgerTotals ledger;

  std::uint64_t count(Role role, std::string_view counter) const { return sum_of(tables, role, counter); }
};

/// Fills in the counters of the platform's blocks for `application` up to core cycle `now`.
void measure(const Platform& platform, int application, Cycle now, ApplicationFigures& figures);

/// Name, unit, sentence and value of every figure; the names are a stable interface, as in the summary.
Summary summarize(const ApplicationFigures& figures);

/// A table for the console.
std::string applications_text(const std::vector<ApplicationFigures>& applications);

}  // namespace strata::platforms
