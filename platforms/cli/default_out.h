#pragma once

#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/netlist/resolved_netlist.h"

namespace strata::cli {

/// Where a run without --out puts its results: `start`, platform and traces by a word each. Behind them goes
/// a hash of all that the results depend on, when that is not what these words stand for (the platform as it
/// is, no option): a variant does not replace the run that it is to be compared with.
struct DefaultOut {
  std::string start;                 ///< "results/"
  std::string platform_file;         ///< PLATFORM
  std::vector<std::string> traces;   ///< as open_source() takes them
  std::vector<std::string> options;  ///< names of those that change the results, but what changes the netlist
  std::vector<std::string> netlists = {};  ///< further platforms that are simulated

  std::string path(const Arguments& arguments, const platforms::ResolvedNetlist& netlist) const;
};

}  // namespace strata::cli
