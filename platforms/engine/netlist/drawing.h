#pragma once

#include <string>

#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

struct DrawingOptions {
  bool expand = false;  ///< every instance as a box; otherwise one box per name, with its count
};

/// The netlist as Graphviz DOT text, left to right from the requesters to memory.
std::string to_dot(const ResolvedNetlist& netlist, const DrawingOptions& options = {});

/// The netlist as text for a terminal: clocks, one line per instance name, one line per binding with its
/// connections.
std::string to_table(const ResolvedNetlist& netlist);

/// Draws with the `dot` program. Throws ConfigError if it is missing or fails, or if the file cannot be
/// written.
void write_svg(const ResolvedNetlist& netlist, const std::string& path, const DrawingOptions& options = {});

}  // namespace strata::platforms
