#pragma once

#include <string>
#include <vector>

namespace strata {

/// The existing folders with shipped data that have this name in the source tree ("platforms"), best first:
/// in the source tree of this build, in `share/strata` beside the program or library that contains this, in
/// the install prefix of the build, and where Debian's packages are installed.
std::vector<std::string> shipped_folders(const std::string& name);

}  // namespace strata
