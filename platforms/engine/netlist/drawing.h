#pragma once

#include <cmath>
#include <string>
#include <vector>

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

/// True if the group has only control connections: a dispatcher or a controller.
bool is_control(const ResolvedNetlist& netlist, int group);

/// Stage of each group in drawings: its longest path from a group that receives no requests. Control groups
/// get the stage of their callers.
std::vector<int> group_stages(const ResolvedNetlist& netlist);

/// `text`, escaped for the contents or a quoted attribute of an SVG or HTML element.
inline std::string markup_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// 1, 2 or 5 times a power of ten: about five steps on an axis over `span` > 0.
inline double axis_step(double span) {
  const double rough = span / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

}  // namespace strata::platforms
