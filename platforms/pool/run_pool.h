#pragma once

#include <functional>
#include <string>
#include <vector>

namespace strata::platforms {

/// One run of the program among many.
struct RunJob {
  std::string name;                    ///< of its results directory
  std::string text;                    ///< for people: `private+hynix nn seed 2`
  std::vector<std::string> arguments;  ///< of `strata run`, without --out
};

/// A run that ended badly.
struct RunFailure {
  std::string run;    ///< RunJob::text
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
  bool resume = false;  ///< keep finished runs with the same name
  bool progress = true;
  /// Told of each run that has ended, or was there: its number, and what went wrong; empty: nothing did.
  std::function<void(std::size_t number, const std::string& fault)> ended = {};
};

/// Simulates every run of a list in a process of its own, `jobs` at a time. SIGINT or SIGTERM ends the
/// running ones and keeps the finished ones. A failed run does not stop the others.
PoolOutcome simulate_runs(const std::vector<RunJob>& runs, const PoolOptions& options);

/// Throws ConfigError when the results of so many runs do not fit on the disk: better told now than after an
/// hour.
void check_space(const std::string& folder, std::size_t runs, std::uintmax_t bytes_per_run);

}  // namespace strata::platforms
