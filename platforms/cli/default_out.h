#pragma once

#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::cli {

/// Where a run without --out puts its results: `start`, then one word each for platform and traces. A hash of
/// all that the results depend on follows, unless these words say it all (unchanged platform, no option): a
/// variant does not overwrite the run it is compared with.
struct DefaultOut {
  std::string start;                ///< "results/"
  std::string platform_file;        ///< PLATFORM
  std::vector<std::string> traces;  ///< as open_source() takes them
  std::vector<std::string>
      options;  ///< names of the options that change the results, except those that change the netlist
  std::vector<std::string> netlists = {};  ///< further platforms to simulate

  std::string path(const Arguments& arguments, const platforms::ResolvedNetlist& netlist) const;
};

}  // namespace strata::cli
