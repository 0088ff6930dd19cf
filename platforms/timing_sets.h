#pragma once

#include <string>
#include <vector>

#include "models/dram_channel/timing_set.h"

namespace strata::platforms {

/// Reads a timing set: one `key: [value, "where the value comes from"]` a line. Every key of TimingSet but
/// nREFI and nRFC is mandatory, and so is every source. Throws ConfigError with all faults
/// (file:line:column).
TimingSet load_timing_set_file(const std::string& path);

/// Reads `<name>.yaml` of the first directory that has it; the fault of an unknown name lists those there
/// are.
TimingSet load_timing_set(const std::string& name, const std::vector<std::string>& directories);

/// Loads the set that `params` names into it, if it is the parameters of a block that uses one
/// (UsesTimingSet). To be called before ParamSet::validate(). Faults blame the parameter `timing_set` or the
/// file.
Faults resolve_timing_set(ParamSet& params, const std::vector<std::string>& directories);

}  // namespace strata::platforms
