#pragma once

#include <string>
#include <vector>

#include "platforms/reproduce/run_pool.h"
#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// What a reproduction has found.
struct Findings {
  std::string command;  ///< that makes the page
  std::string effort;   ///< quick or full
  std::vector<ClaimResult> claims;
  std::vector<OrderResult> orders;
  std::vector<std::pair<const Chart*, std::string>>
      charts;  ///< and the file of each drawing, beside the page
  PoolOutcome pool;
  std::string sheet;  ///< Markdown
};

/// The page as Markdown.
std::string page_of(const Findings& findings, Measurements& measurements);
/// The claims as a table for the console, and what explains the misses.
std::string console_of(const Findings& findings);

}  // namespace strata::platforms
