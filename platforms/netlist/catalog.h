#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/netlist/module_table.h"

namespace strata::platforms {

/// One line a module: `name  what it does`.
std::string list_modules(const ModuleTable& modules = known_modules());

/// Sockets, parameters (unit, range, default, sentence), storage, resources, counters (unit, sentence) and
/// laws, for a terminal.
std::string describe_module(const ModuleKind& kind);

/// What the module stores with default parameters, by field, for a terminal; empty when it does not say.
std::string describe_storage(const ModuleKind& kind);

/// The same as describe_module() as Markdown tables, for the docs.
std::string describe_module_markdown(const ModuleKind& kind);

/// The row of that name; throws ConfigError with the nearest name when there is none.
const ModuleKind& require_module(const std::string& name, const ModuleTable& modules = known_modules());

/// Docs pages hold tables between `<!-- generated: modules NAME -->` and `<!-- end generated -->`; without
/// NAME it is the table of all modules. Returns the page with those tables made anew. Throws ConfigError
/// (with the line) on an unknown name or a missing end.
std::string fill_generated(const std::string& page, const std::string& file,
                           const ModuleTable& modules = known_modules());

/// Markdown files under `folder` whose tables are not what fill_generated() makes; rewritten when `write` is
/// set.
std::vector<std::string> stale_pages(const std::string& folder, bool write,
                                     const ModuleTable& modules = known_modules());

}  // namespace strata::platforms
