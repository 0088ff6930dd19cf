#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/engine/netlist/module_table.h"

namespace strata::platforms {

/// One line per module: `name  what it does`.
std::string list_modules(const ModuleTable& modules = known_modules());

/// Sockets, parameters (unit, range, default, sentence), storage, resources, counters (unit, sentence) and
/// laws, for a terminal.
std::string describe_module(const ModuleKind& kind);

/// Storage of the module with default parameters, by field, for a terminal; empty if it declares none.
std::string describe_storage(const ModuleKind& kind);

/// Like describe_module(), as Markdown tables for the docs.
std::string describe_module_markdown(const ModuleKind& kind);

/// The row of that name; throws ConfigError with the nearest name if there is none.
const ModuleKind& require_module(const std::string& name, const ModuleTable& modules = known_modules());

/// Docs pages hold tables between `<!-- generated: modules NAME -->` and `<!-- end generated -->`; without
/// NAME it is the table of all modules. Returns the page with those tables regenerated. Throws ConfigError
/// (with the line) for an unknown name or a missing end.
std::string fill_generated(const std::string& page, const std::string& file,
                           const ModuleTable& modules = known_modules());

/// Markdown files under `folder` whose tables differ from those of fill_generated(); rewritten if `write` is
/// set.
std::vector<std::string> stale_pages(const std::string& folder, bool write,
                                     const ModuleTable& modules = known_modules());

}  // namespace strata::platforms
