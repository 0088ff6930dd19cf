#pragma once

#include <string>
#include <vector>

#include "platforms/page/page_run.h"

namespace strata::platforms {

/// A page of HTML that shows results directories: one file that asks no host for anything. Throws ConfigError
/// with the faults of all directories that cannot be read, or when the page would be larger than 5 MB.
std::string results_page(const std::vector<std::string>& directories, const std::string& version,
                         PageOptions options);

/// The program has the library that draws charts; without it pages have their tables only.
bool page_has_charts();

}  // namespace strata::platforms
