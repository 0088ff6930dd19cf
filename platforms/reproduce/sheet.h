#pragma once

#include <string>

#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// The sensitivity sheet as Markdown: a line a variant with the gain in IPC and in replies of each group of
/// workloads, and where a load's latency changes by groups of ledger causes.
/// How the gain that a claim is about moves with the machine: the variants of the sheet that move it most.
/// Empty when the claim does not compare what the sheet compares, or the sheet has not run.
std::string sheet_evidence(const Claim& claim, Measurements& measurements);

std::string sheet_of(Measurements& measurements);

}  // namespace strata::platforms
