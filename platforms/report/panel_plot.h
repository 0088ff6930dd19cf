#pragma once

#include <string>
#include <utility>
#include <vector>

namespace strata::platforms {

/// A line over the ticks of a panel, with a thin mark at the worst value of each.
struct PanelCurve {
  std::string name;
  std::vector<double> values;
  std::vector<double> worst;  ///< may be empty
};

/// One of several plots, one above the other, with the same ticks.
struct Panel {
  std::string title;
  std::vector<PanelCurve> curves;
  std::vector<std::pair<double, std::string>> aims;  ///< horizontal lines with a label
};

/// An SVG picture that is readable in shades of grey: curves differ in dashes and marks.
std::string plot_panels(const std::string& title, const std::string& ticks_title,
                        const std::vector<std::string>& ticks, const std::vector<Panel>& panels);

}  // namespace strata::platforms
