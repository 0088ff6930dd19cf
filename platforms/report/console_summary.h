#pragma once

#include <string>

#include "platforms/report/results_files.h"

namespace strata::platforms {

/// The text that `strata run` prints at the end: the summary as tables, the latency by ledger cause with
/// bars, and the digest on the last line.
std::string console_summary(const RunRecord& record);

}  // namespace strata::platforms
