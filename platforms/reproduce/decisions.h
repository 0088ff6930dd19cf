#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// Kernels of a workload (each launch is one) by what was chosen for them.
struct KernelCounts {
  std::size_t all = 0;
  std::size_t not_neutral = 0;  ///< one organization is better by more than the neutral band
  std::size_t right = 0;        ///< of these: the better one was chosen
  std::size_t undecided = 0;    ///< of the non-neutral ones: over before the first decision
};

/// One workload of a decision.
struct DecisionRow {
  std::string workload;
  std::vector<double> fixed;  ///< the metric with each of `between`
  double chosen = 0;          ///< the metric with what chooses
  std::size_t best = 0;       ///< of `between`
  double gain = 0;            ///< percent, of the last of two over the first, or of the best over the first
  double loss = 0;            ///< percent, to the best
  bool neutral = false;
  std::optional<double> share;  ///< of the cycles after the first decision of each kernel, in private mode
  std::optional<bool> right;    ///< between two that are not alike
  std::optional<KernelCounts> kernels;
  std::vector<std::optional<double>> shows;
  std::map<std::uint64_t, std::size_t>
      degrees;  ///< decisions by the number of copies, of a choice of several
};

/// A bar and what came out.
struct BarResult {
  std::string says, asked, found;
  Verdict verdict = Verdict::not_run;
};

struct DecisionResult {
  const Decision* decision = nullptr;
  std::string reason;  ///< why there are no rows
  std::vector<DecisionRow> rows;
  KernelCounts kernels;            ///< of all rows that know theirs
  bool all_kernels_known = false;  ///< every row does
  double mean_loss = 0;
  std::vector<BarResult> bars;
};

DecisionResult judge(const Decision& decision, Measurements& measurements);

/// Tables for the page, as Markdown.
std::string decision_text(const DecisionResult& result, const Paper& paper);
/// A table for the console.
std::string decision_console(const DecisionResult& result, const Paper& paper);

}  // namespace strata::platforms
