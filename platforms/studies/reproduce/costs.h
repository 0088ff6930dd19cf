#pragma once

#include <string>
#include <vector>

#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// Cost of the comparisons of IPC on a page: energy per instruction, IPC/W and energy x delay of the same
/// runs, as a section in Markdown; empty if no results report energy.
std::string costs_section(const std::vector<ClaimResult>& claims, Measurements& measurements);

/// True if the figure of a claim depends on the constants of energy and area.
bool stands_on_constants(const Claim& claim, const Paper& paper);

/// For every claim about energy or area outside its tolerance: adds its figure with each family of constants
/// at its low and at its high values, the others at nominal.
void trace_to_constants(std::vector<ClaimResult>& results, Measurements& measurements);

}  // namespace strata::platforms
