#pragma once

#include <string>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

struct DrawingOptions {
  bool expand = false;  ///< every instance as a box of its own; otherwise one box a name, with its count
};

/// The netlist as Graphviz DOT text, left to right from the requesters to memory.
std::string to_dot(const ResolvedNetlist& netlist, const DrawingOptions& options = {});

/// The netlist as text for a terminal: clocks, a line an instance name, a line a binding with its
/// connections.
std::string to_table(const ResolvedNetlist& netlist);

/// Draws with the `dot` program. Throws ConfigError when it is missing or fails, or the file cannot be
/// written.
void write_svg(const ResolvedNetlist& netlist, const std::string& path, const DrawingOptions& options = {});

}  // namespace strata::platforms
