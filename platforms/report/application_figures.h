#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/ledger_totals.h"
#include "platforms/netlist/platform.h"
#include "platforms/report/summary.h"

namespace strata::platforms {

/// One of several applications as it stood when it had issued its budget or ended its program, whichever came
/// first; or as it stands now when neither has come.
struct ApplicationFigures {
  std::string trace;         ///< the source's own description
  std::string organization;  ///< of the LLC, for this application; empty when there is no control
  int first_sm = 0;          ///< of each cluster
  int sms = 0;               ///< of each cluster
  std::uint64_t budget = 0;  ///< thread instructions; 0 = the whole program
  bool measured = false;     ///< budget or end of the program came
  bool ended = false;        ///< it was the end of the program
  Cycle cycles = 0;          ///< core cycles until then
  std::uint64_t kernels_done = 0;
  std::uint64_t passes = 0;           ///< times that the program had ended when the run was over
  std::vector<InstanceStats> tables;  ///< what blocks counted of it alone
  LedgerTotals ledger;

  std::uint64_t count(Role role, std::string_view counter) const { return sum_of(tables, role, counter); }
};

/// Fill in what the platform's blocks have counted for `application` up to core cycle `now`.
void measure(const Platform& platform, int application, Cycle now, ApplicationFigures& figures);

/// Name, unit, sentence and value of every figure; the names are a contract, as those of the summary.
Summary summarize(const ApplicationFigures& figures);

/// A table for the console.
std::string applications_text(const std::vector<ApplicationFigures>& applications);

}  // namespace strata::platforms
