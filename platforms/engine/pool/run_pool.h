#pragma once

#include <functional>
#include <string>
#include <vector>

namespace strata::platforms {

/// One run of many.
struct RunJob {
  std::string name;                    ///< name of its results directory
  std::string text;                    ///< shown to users: `private+hynix nn seed 2`
  std::vector<std::string> arguments;  ///< arguments of `strata run`, without --out
};

/// A failed run.
struct RunFailure {
  std::string run;    ///< RunJob::text
  std::string log;    ///< file with its output
  std::string words;  ///< last line of its output
};

struct PoolOutcome {
  std::vector<RunFailure> failures;
  std::size_t reused = 0, simulated = 0;
  bool interrupted = false;
};

struct PoolOptions {
  std::string folder;   ///< results of the runs go here, a directory each
  std::string program;  ///< program to start; default: this program
  int jobs = 1;
  bool resume = false;  ///< keep finished runs with the same name
  bool progress = true;
  /// Called for each run that has ended or was finished before: its number and its error; empty: none.
  std::function<void(std::size_t number, const std::string& fault)> ended = {};
};

/// Simulates every run of a list in its own process, `jobs` at a time. SIGINT or SIGTERM ends the running
/// ones and keeps the finished ones. A failed run does not stop the others.
PoolOutcome simulate_runs(const std::vector<RunJob>& runs, const PoolOptions& options);

/// Throws ConfigError if the results of so many runs do not fit on the disk: reports it now instead of after
/// an hour.
void check_space(const std::string& folder, std::size_t runs, std::uintmax_t bytes_per_run);

}  // namespace strata::platforms
