#pragma once

#include <vector>

#include "platforms/cli/what_if.h"
#include "platforms/report/verdict.h"

namespace strata::cli {

/// What reliefs gave becomes what the verdict says to try: the best of them, and the one that the rule names
/// where that is another.
void note_measured(platforms::Verdict& verdict, const std::vector<Relief>& reliefs,
                   const platforms::RunCounts& run);

}  // namespace strata::cli
