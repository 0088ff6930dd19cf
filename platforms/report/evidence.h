#pragma once

#include <string>

#include "platforms/netlist/platform.h"
#include "platforms/report/results_directory.h"

namespace strata::platforms {

/// What the block at fault can show of the error that has ended a run (EvidenceIf), among its results; a
/// sentence on it that begins with the file's name. Empty: nothing.
std::string write_evidence(ResultsDirectory& results, const Platform& platform);

}  // namespace strata::platforms
