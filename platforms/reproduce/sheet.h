#pragma once

#include <string>

#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// The sensitivity sheet as Markdown: a line a variant with the gain in IPC and in replies of each group of
/// workloads, and where a load's latency changes by groups of ledger causes.
std::string sheet_of(Measurements& measurements);

}  // namespace strata::platforms
