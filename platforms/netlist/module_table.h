#pragma once

#include <string_view>
#include <vector>

#include "models/tlm/module_kind.h"

namespace strata::platforms {

/// Modules by name: an explicit table. Users who embed Strata append rows of their own and pass the table on,
/// or write a plug-in (docs/guide/plugins.md).
using ModuleTable = std::vector<const ModuleKind*>;

/// Every module that Strata comes with.
const ModuleTable& built_in_modules();

/// The same and those of the program itself, when it has a STRATA_PLUGIN. Throws ConfigError when one has a
/// name of ours.
const ModuleTable& known_modules();

/// The row of that name, or null.
const ModuleKind* find_module(const ModuleTable& modules, std::string_view name);

}  // namespace strata::platforms
