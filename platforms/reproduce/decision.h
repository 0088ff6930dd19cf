#pragma once

#include <string>
#include <vector>

#include "models/common/faults.h"

namespace strata::platforms {

/// What a decision is measured by. Negative: no bar.
struct DecisionBars {
  double right = -1;      ///< percent of the non-neutral ones on which the better organization was chosen
  double loss = -1;       ///< percent that any workload may lose to the best one
  double mean_loss = -1;  ///< percent that the workloads may lose in the mean
};

/// A configuration that chooses by itself, judged against those among which it chooses.
struct Decision {
  std::string name, says, of, metric;
  std::vector<std::string> figures;
  std::vector<std::string> between;  ///< configurations; an undecided one stays with the first
  std::vector<std::string> on;       ///< workloads
  std::vector<std::string> shows;    ///< further metrics of `of`
  double neutral = 3;                ///< percent within which configurations count as alike
  DecisionBars bars;
  SourcePosition where;
};

}  // namespace strata::platforms
