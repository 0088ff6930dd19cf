#pragma once

#include <string>
#include <vector>

#include "models/power/constants.h"

namespace strata::platforms {

/// The shipped constants. Rows of the user's files replace those of the same name, and may add figures of
/// third-party modules: `module.NAME.COUNTER` (pJ), `module.NAME.static` (mW), `module.NAME.area` (mm2).
/// Throws ConfigError with the file and the line.
power::Constants load_constants(const std::vector<std::string>& files = {});

/// Throws ConfigError if a row is negative or in another unit than the model expects.
void check_constant(const std::string& row, const power::Constant& constant, const power::Constants& table);

}  // namespace strata::platforms
