#pragma once

#include <vector>

#include "platforms/cli/what_if.h"
#include "platforms/report/verdict.h"

namespace strata::cli {

/// Puts the measured gains into the advice of the verdict: the best relaxation, and the one that the rule
/// names if it is another.
void note_measured(platforms::Verdict& verdict, const std::vector<Relief>& reliefs,
                   const platforms::RunCounts& run);

}  // namespace strata::cli
