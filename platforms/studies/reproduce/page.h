#pragma once

#include <string>
#include <vector>

#include "platforms/engine/pool/run_pool.h"
#include "platforms/studies/reproduce/decisions.h"

namespace strata::platforms {

/// The findings of a reproduction.
struct Findings {
  std::string command;  ///< command that makes the page
  std::string effort;   ///< quick or full
  std::vector<ClaimResult> claims;
  std::vector<OrderResult> orders;
  std::vector<DecisionResult> decisions;
  std::vector<std::pair<const Chart*, std::string>>
      charts;  ///< and the file of each drawing, beside the page
  PoolOutcome pool;
  ProcessorTime processor;
  double budget = 0;  ///< limit of processor time in seconds for the runs; 0 = none
  std::string sheet;  ///< Markdown
};

/// " %", " pp" or empty: the unit of the paper's and the measured figure.
std::string unit_of(const Claim& claim);
/// The evidence from the ledger about a miss.
std::string evidence_text(const ClaimResult& result);

/// The page as Markdown.
std::string page_of(const Findings& findings, Measurements& measurements);
/// The claims as a table for the console, and the explanations of the misses.
std::string console_of(const Findings& findings, const Paper& paper);

constexpr const char reproduction_file[] = "reproduction.json";

/// The findings of a reproduction, for `strata report` and for scripts: claims with the paper's figure, the
/// measured one and the verdict, orders, and the goals of decisions. docs/papers/reproduce.md lists the keys.
std::string findings_json(const Findings& findings, const Measurements& measurements);

}  // namespace strata::platforms
