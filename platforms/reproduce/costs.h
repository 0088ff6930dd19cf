#pragma once

#include <string>

#include "platforms/reproduce/verdicts.h"

namespace strata::platforms {

/// What the comparisons of IPC on a page cost: energy for an instruction, IPC/W and energy x delay of the
/// same runs, as a section in Markdown; empty when no results say what they cost.
std::string costs_section(const std::vector<ClaimResult>& claims, Measurements& measurements);

}  // namespace strata::platforms
