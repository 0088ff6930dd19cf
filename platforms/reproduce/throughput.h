#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// How one of several applications fared beside the others, and alone.
struct Progress {
  std::string application;  ///< as the results describe it
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
/// The least progress over the largest: 1 = all are slowed down alike.
double fairness(const std::vector<Progress>& applications);

/// From results directories: one of all applications together, and one of each alone. Throws ConfigError when
/// one holds no finished run, or not of so many applications.
std::vector<Progress> read_progress(const std::string& together, const std::vector<std::string>& solos);

std::string progress_text(const std::vector<Progress>& applications);
std::string progress_json(const std::vector<Progress>& applications);

}  // namespace strata::platforms
