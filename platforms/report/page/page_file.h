#pragma once

#include <string>
#include <vector>

#include "platforms/report/page/page_parts.h"

namespace strata::platforms {

/// The inputs of a page.
struct PageSources {
  std::vector<std::string> runs;           ///< results directories
  std::vector<std::string> sweeps;         ///< SQLite files of sweeps, or the folders with them
  std::vector<std::string> reproductions;  ///< folders of `strata reproduce`
};

/// An HTML page that shows them: one file that loads nothing from any host. Throws ConfigError with the
/// faults of all inputs that cannot be read, or if the page would be larger than 5 MB.
std::string results_page(const PageSources& sources, const std::string& version, PageOptions options);

/// True if the program has the chart library; without it pages show only tables.
bool page_has_charts();

}  // namespace strata::platforms
