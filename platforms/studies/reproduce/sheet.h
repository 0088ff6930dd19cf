#pragma once

#include <string>

#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// The sensitivity sheet as Markdown: one line per variant with the gain in IPC and in replies of each group
/// of workloads, and the change of a load's latency by groups of ledger causes. How the gain of a claim
/// depends on the machine: the variants of the sheet that change it most. Empty if the claim does not compare
/// what the sheet compares, or if the sheet has not run.
std::string sheet_evidence(const Claim& claim, Measurements& measurements);

std::string sheet_of(Measurements& measurements);

}  // namespace strata::platforms
