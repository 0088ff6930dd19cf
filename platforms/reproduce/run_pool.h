#pragma once

#include <string>
#include <vector>

#include "platforms/reproduce/run_plan.h"

namespace strata::platforms {

/// A run that ended badly.
struct RunFailure {
  std::string run;    ///< RunSpec::text()
  std::string log;    ///< file with what it printed
  std::string words;  ///< its last line
};

struct PoolOutcome {
  std::vector<RunFailure> failures;
  std::size_t reused = 0, simulated = 0;
  bool interrupted = false;
};

struct PoolOptions {
  std::string folder;   ///< results of the runs go here, a directory each
  std::string program;  ///< the program to start; the running one unless said otherwise
  int jobs = 1;
  bool resume = false;  ///< keep finished runs with the same key
  bool progress = true;
};

/// Simulates every run of a plan in a process of its own, `jobs` at a time. SIGINT or SIGTERM ends the
/// running ones and keeps the finished ones. A failed run does not stop the others.
PoolOutcome simulate_runs(const std::vector<RunSpec>& runs, const PoolOptions& options);

}  // namespace strata::platforms
