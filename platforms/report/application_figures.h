#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/llc_slice/llc_slice_stats.h"
#include "models/sm_cluster/sm_cluster_stats.h"
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
  std::uint64_t passes = 0;  ///< times that the program had ended when the run was over
  SmClusterStats sm;
  LedgerTotals ledger;
  bool any_l1 = false, any_slice = false;  ///< there were blocks that count the following
  std::uint64_t l1_accesses = 0, l1_hits = 0, l1_merges = 0, l1_misses = 0;
  LlcApplicationCounts llc;
  std::uint64_t private_cycles = 0;  ///< cycles in which the LLC was private for it

  double ipc() const {
    return cycles == 0 ? 0 : static_cast<double>(sm.thread_instructions) / static_cast<double>(cycles);
  }
};

/// Fill in what the platform's blocks have counted for `application` up to core cycle `now`.
void measure(const Platform& platform, int application, Cycle now, ApplicationFigures& figures);

/// Name, unit, sentence and value of every figure; the names are a contract, as those of the summary.
Summary summarize(const ApplicationFigures& figures);

/// A table for the console.
std::string applications_text(const std::vector<ApplicationFigures>& applications);

}  // namespace strata::platforms
