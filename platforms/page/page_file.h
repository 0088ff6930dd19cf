#pragma once

#include <string>
#include <vector>

#include "platforms/page/page_run.h"

namespace strata::platforms {

/// What a page is made of.
struct PageSources {
  std::vector<std::string> runs;           ///< results directories
  std::vector<std::string> sweeps;         ///< their SQLite files, or the folders with them
  std::vector<std::string> reproductions;  ///< folders of `strata reproduce`
};

/// A page of HTML that shows them: one file that asks no host for anything. Throws ConfigError with the
/// faults of all that cannot be read, or when the page would be larger than 5 MB.
std::string results_page(const PageSources& sources, const std::string& version, PageOptions options);

/// The program has the library that draws charts; without it pages have their tables only.
bool page_has_charts();

}  // namespace strata::platforms
