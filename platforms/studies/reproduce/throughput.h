#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Progress of one of several applications beside the others, compared with running alone.
struct Progress {
  std::string application;  ///< the description in the results
  double solo_ipc = 0;
  double ipc = 0;
  /// Normalized progress: 1 = as fast as alone.
  double progress() const { return solo_ipc == 0 ? 0 : ipc / solo_ipc; }
  double slowdown() const { return ipc == 0 ? 0 : solo_ipc / ipc; }
};

/// Both by Eyerman and Eeckhout, "System-Level Performance Metrics for Multiprogram Workloads", IEEE Micro
/// 28(3), 2008.
double system_throughput(const std::vector<Progress>& applications);              ///< STP: sum of progress
double average_normalized_turnaround(const std::vector<Progress>& applications);  ///< ANTT: mean slowdown
/// Smallest progress over largest: 1 = all are slowed down equally.
double fairness(const std::vector<Progress>& applications);

/// From results directories: one of all applications together, and one of each alone. Throws ConfigError if
/// one holds no finished run, or a run of another number of applications.
std::vector<Progress> read_progress(const std::string& together, const std::vector<std::string>& solos);

std::string progress_text(const std::vector<Progress>& applications);
std::string progress_json(const std::vector<Progress>& applications);

}  // namespace strata::platforms
