#pragma once

#include <string>

#include "platforms/studies/interference/interference_run.h"

namespace strata::platforms {

/// Tables for the console: the victim's breakdowns, the matrices, and the runs without each contender.
std::string interference_text(const Interference& found);
/// A line for each victim and aggressor.
std::string interference_csv(const Interference& found);
/// Heat maps of demotions, evictions and Shapley values.
std::string interference_svg(const Interference& found);
/// Input of a run without a contender, or of a study.
std::string interference_json(const Interference& found);
/// Throws ConfigError if Strata did not write the file.
Interference read_interference(const std::string& path);

}  // namespace strata::platforms
