#pragma once

#include <string_view>
#include <vector>

#include "models/tlm/module_kind.h"

namespace strata::platforms {

/// Modules by name: an explicit table. Users who embed Strata append rows and pass the table on, or write a
/// plug-in (docs/guide/plugins.md).
using ModuleTable = std::vector<const ModuleKind*>;

/// Every shipped module.
const ModuleTable& built_in_modules();

/// The shipped modules plus those of the program itself, if it has a STRATA_PLUGIN. Throws ConfigError if one
/// of them has the name of a shipped module.
const ModuleTable& known_modules();

/// The row of that name, or null.
const ModuleKind* find_module(const ModuleTable& modules, std::string_view name);

}  // namespace strata::platforms
