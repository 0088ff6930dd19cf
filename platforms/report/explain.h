#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/module_table.h"

namespace strata::platforms {

/// An instance name that netlists use for a module: `llc` is an `llc_slice` in `tiny` and others.
struct InstanceName {
  std::string name, module;
  std::vector<std::string> platforms;
};

/// Instance names of all shipped platforms.
std::vector<InstanceName> instance_names();

/// Explains `name`: a figure, module, parameter, statistic, ledger cause or instance (`llc`, or `llc.ways` as
/// in --set), with unit, owner and laws; case is ignored. Otherwise it lists the parameters that have it
/// among their choices; otherwise, for a single word, everything that mentions it. Throws ConfigError with
/// the nearest name if there is nothing.
std::string explain(const std::string& name, const ModuleTable& modules = known_modules(),
                    const std::vector<InstanceName>& instances = instance_names());

}  // namespace strata::platforms
