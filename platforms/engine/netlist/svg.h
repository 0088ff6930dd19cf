#pragma once

#include <cmath>
#include <string>

namespace strata::platforms {

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
