#pragma once

#include <string>
#include <vector>

namespace strata {

/// Where what Strata comes with may lie that has this name in the source tree ("platforms"), the best first:
/// in the source tree that built this, in `share/strata` beside the program or library that this is part of,
/// where the build was meant to be installed, and where Debian's packages go. Only what is there.
std::vector<std::string> shipped_folders(const std::string& name);

}  // namespace strata
