#pragma once

#include <string>
#include <vector>

#include "models/common/faults.h"

namespace strata::platforms {

/// Goals for a decision. Negative: none.
struct DecisionBars {
  double right =
      -1;  ///< percent of the non-neutral workloads for which the better organization must be chosen
  double loss = -1;       ///< percent that any workload may lose against the best one
  double mean_loss = -1;  ///< percent that the workloads may lose on average
};

/// A configuration that chooses at run time, compared with its alternatives.
struct Decision {
  std::string name, says, of, metric;
  std::vector<std::string> figures;
  std::vector<std::string> between;  ///< configurations; an undecided kernel stays with the first
  std::vector<std::string> on;       ///< workloads
  std::vector<std::string> shows;    ///< further metrics of `of`
  double neutral = 3;                ///< percent within which configurations count as equal
  DecisionBars bars;
  SourcePosition where;
};

}  // namespace strata::platforms
