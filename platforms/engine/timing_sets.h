#pragma once

#include <string>
#include <vector>

#include "models/dram_channel/timing_set.h"

namespace strata::platforms {

/// Reads a timing set: one `key: [value, "where the value comes from"]` per line. All keys of TimingSet
/// except nREFI and nRFC are mandatory, and so is every source. Throws ConfigError with all faults
/// (file:line:column).
TimingSet load_timing_set_file(const std::string& path);

/// Reads `<name>.yaml` from the first directory that has it; the fault for an unknown name lists the known
/// ones.
TimingSet load_timing_set(const std::string& name, const std::vector<std::string>& directories);

/// Loads the set that `params` names into it, if the block uses one (UsesTimingSet). Call it before
/// ParamSet::validate(). Faults refer to the parameter `timing_set` or to the file.
Faults resolve_timing_set(ParamSet& params, const std::vector<std::string>& directories);

}  // namespace strata::platforms
