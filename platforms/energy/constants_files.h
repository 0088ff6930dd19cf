#pragma once

#include <string>
#include <vector>

#include "models/power/constants.h"

namespace strata::platforms {

/// The constants that Strata comes with; rows of the files of a user take the place of those of the same
/// name, and may add figures of modules of their own: `module.NAME.COUNTER` (pJ), `module.NAME.static` (mW),
/// `module.NAME.area` (mm2). Throws ConfigError with the file and the line.
power::Constants load_constants(const std::vector<std::string>& files = {});

/// Throws ConfigError where a row is in another unit than the model takes, or negative.
void check_constant(const std::string& row, const power::Constant& constant, const power::Constants& table);

}  // namespace strata::platforms
