#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Results of the same trace in at and in lt.
struct TimingPair {
  std::string trace;
  std::string at;  ///< results directory
  std::string lt;
};

/// How far lt is from at: a line a trace with its errors and the speed ratio, mean and worst of all, and
/// where the latency of a load differs when there is one trace. Throws ConfigError when a directory holds no
/// results.
std::string timing_errors(const std::vector<TimingPair>& pairs);

}  // namespace strata::platforms
