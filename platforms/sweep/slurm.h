#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Job arrays of Slurm, by its commands sbatch, squeue and scancel.
class Slurm {
 public:
  /// Throws ConfigError when there are no such commands here.
  Slurm();

  /// Submits a script for each of the tasks, with more options for sbatch; the number of the job. Throws
  /// ConfigError when Slurm refuses it; sbatch says why on stderr.
  std::string submit(const std::string& script, const std::vector<std::size_t>& tasks,
                     const std::vector<std::string>& options) const;
  struct Queue {
    bool known = false;  ///< false: Slurm does not answer now
    std::size_t running = 0, waiting = 0;
    bool empty() const { return running + waiting == 0; }
  };
  /// The tasks of a job that are not over.
  Queue queue(const std::string& job) const;
  void cancel(const std::string& job) const;
};

/// `1-3,7`
std::string range_list(const std::vector<std::size_t>& numbers);

}  // namespace strata::platforms
