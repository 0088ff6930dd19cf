#pragma once

#include <string>

#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// Cost of the comparisons of IPC on a page: energy per instruction, IPC/W and energy x delay of the same
/// runs, as a section in Markdown; empty if no results report energy.
std::string costs_section(const std::vector<ClaimResult>& claims, Measurements& measurements);

}  // namespace strata::platforms
