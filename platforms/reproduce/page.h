#pragma once

#include <string>
#include <vector>

#include "platforms/pool/run_pool.h"
#include "platforms/reproduce/decisions.h"

namespace strata::platforms {

/// What a reproduction has found.
struct Findings {
  std::string command;  ///< that makes the page
  std::string effort;   ///< quick or full
  std::vector<ClaimResult> claims;
  std::vector<OrderResult> orders;
  std::vector<DecisionResult> decisions;
  std::vector<std::pair<const Chart*, std::string>>
      charts;  ///< and the file of each drawing, beside the page
  PoolOutcome pool;
  ProcessorTime processor;
  double budget = 0;  ///< seconds of processor time that the runs may take; 0 = no bar
  std::string sheet;  ///< Markdown
};

/// " %", " pp" or nothing: of what the paper says and of what was measured.
std::string unit_of(const Claim& claim);
/// What the ledger says of a miss.
std::string evidence_text(const ClaimResult& result);

/// The page as Markdown.
std::string page_of(const Findings& findings, Measurements& measurements);
/// The claims as a table for the console, and what explains the misses.
std::string console_of(const Findings& findings, const Paper& paper);

}  // namespace strata::platforms
