#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/module_table.h"

namespace strata::platforms {

/// A name under which netlists know a module: `llc` is an `llc_slice` in `tiny` and others.
struct InstanceName {
  std::string name, module;
  std::vector<std::string> platforms;
};

/// Of every platform that Strata comes with.
std::vector<InstanceName> instance_names();

/// What is called `name`: a figure, module, parameter, statistic, ledger cause or instance (`llc`, or
/// `llc.ways` as in --set), with unit, owner and laws; capitals do not count. Else the parameters that have
/// it among their choices; else, of a single word, what speaks of it. Throws ConfigError with the nearest
/// name when there is nothing.
std::string explain(const std::string& name, const ModuleTable& modules = known_modules(),
                    const std::vector<InstanceName>& instances = instance_names());

}  // namespace strata::platforms
