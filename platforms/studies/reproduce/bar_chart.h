#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/studies/reproduce/verdicts.h"

namespace strata::platforms {

/// Bars of one pattern: a value for each category, empty if there is none.
struct BarSeries {
  std::string name;
  std::vector<std::optional<double>> values;
  bool complete = true;  ///< a missing value is marked
};

/// Neighbouring categories with a name below them.
struct BarSection {
  std::string name;
  std::size_t categories = 0;
};

/// Bars side by side or stacked, as in figures of papers. Patterns differ in grey and hatching, so they are
/// readable in print without colours.
struct BarChart {
  std::string title, axis;
  std::vector<std::string> categories;
  std::vector<BarSection> sections;  ///< empty, or covering all categories
  std::vector<BarSeries> series;
  bool stacked = false;
  std::optional<double> line;  ///< horizontal line, e.g. at 1 for relative values
};

std::string to_svg(const BarChart& chart);

/// The bars of a chart from measured values; configurations that cannot run yet are left out. Empty if there
/// is nothing to draw.
std::optional<BarChart> bars_of(const Chart& chart, Measurements& measurements,
                                const std::vector<ClaimResult>& claims);

}  // namespace strata::platforms
