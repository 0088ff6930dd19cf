#pragma once

#include <string>

#include "platforms/studies/reproduce/run_plan.h"

namespace strata::platforms {

struct ReproductionOptions {
  Selection selection;
  std::string out;      ///< folder for runs and, without `docs`, the page
  std::string docs;     ///< folder for the page and its drawings
  std::string program;  ///< program to start for each run
  std::string command;  ///< shown on the page
  int jobs = 1;
  bool resume = false;
  bool progress = true;
};

struct ReproductionOutcome {
  std::string text;  ///< for the console
  std::string page;  ///< file
  int exit_code = 0;
};

/// Simulates the missing runs, compares each claim with its measurement, writes the page and its drawings.
ReproductionOutcome reproduce(const Paper& paper, const ReproductionOptions& options);

}  // namespace strata::platforms
