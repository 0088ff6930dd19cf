#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// Kernels of a workload (each launch is one) by the choice made for them.
struct KernelCounts {
  std::size_t all = 0;
  std::size_t not_neutral = 0;  ///< one organization is better by more than the neutral band
  std::size_t right = 0;        ///< of these: the better one was chosen
  std::size_t undecided = 0;    ///< of the non-neutral ones: ended before the first decision
};

/// One workload of a decision.
struct DecisionRow {
  std::string workload;
  std::vector<double> fixed;  ///< the metric with each configuration of `between`
  double chosen = 0;          ///< the metric with the configuration that chooses
  std::size_t best = 0;       ///< index in `between`
  double gain = 0;            ///< percent, of the last of two over the first, or of the best over the first
  double loss = 0;            ///< percent, relative to the best
  bool neutral = false;
  std::optional<double>
      share;                  ///< share of private mode in the cycles after the first decision of each kernel
  std::optional<bool> right;  ///< for two configurations that are not equal
  std::optional<KernelCounts> kernels;
  std::vector<std::optional<double>> shows;
  std::map<std::uint64_t, std::size_t>
      degrees;  ///< decisions by number of copies, for a choice between several
};

/// A goal and its measured value.
struct BarResult {
  std::string says, asked, found;
  Verdict verdict = Verdict::not_run;
};

struct DecisionResult {
  const Decision* decision = nullptr;
  std::string reason;  ///< why there are no rows
  std::vector<DecisionRow> rows;
  KernelCounts kernels;            ///< of all rows with known kernels
  bool all_kernels_known = false;  ///< every row has known kernels
  double mean_loss = 0;
  std::vector<BarResult> bars;
};

DecisionResult judge(const Decision& decision, Measurements& measurements);

/// Tables for the page, as Markdown.
std::string decision_text(const DecisionResult& result, const Paper& paper);
/// A table for the console.
std::string decision_console(const DecisionResult& result, const Paper& paper);

}  // namespace strata::platforms
