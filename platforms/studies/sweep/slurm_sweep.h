#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/studies/sweep/sweep_run.h"

namespace strata::platforms {

/// Simulates the unfinished points as a job array, one shard of the points per task, follows it and collects
/// its results. Points lost with a node or a process are submitted again, at most twice. If a job of this
/// sweep still exists, it is followed instead. Returns false if interrupted; the job is cancelled then.
bool simulate_on_slurm(const SweepPlan& plan, const SweepOptions& options, SweepStore& store);

/// Job arrays of Slurm, by its commands sbatch, squeue and scancel.
class Slurm {
 public:
  /// Throws ConfigError if the commands are missing.
  Slurm();

  /// Submits a script for each of the tasks, with additional options for sbatch; returns the number of the
  /// job. Throws ConfigError if Slurm refuses it; sbatch prints the reason on stderr.
  std::string submit(const std::string& script, const std::vector<std::size_t>& tasks,
                     const std::vector<std::string>& options) const;
  struct Queue {
    bool known = false;  ///< false: Slurm does not respond now
    std::size_t running = 0, waiting = 0;
    bool empty() const { return running + waiting == 0; }
  };
  /// The unfinished tasks of a job.
  Queue queue(const std::string& job) const;
  void cancel(const std::string& job) const;
};

/// `1-3,7`
std::string range_list(const std::vector<std::size_t>& numbers);

}  // namespace strata::platforms
