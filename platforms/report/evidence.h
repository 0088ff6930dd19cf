#pragma once

#include <string>

#include "platforms/engine/netlist/platform.h"
#include "platforms/report/results_directory.h"

namespace strata::platforms {

/// Writes the evidence that the faulty block has of the error that ended a run (EvidenceIf) to its results.
/// Returns a sentence on it that begins with the file's name. Empty: none.
std::string write_evidence(ResultsDirectory& results, const Platform& platform);

}  // namespace strata::platforms
