#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/netlist/resolved_netlist.h"
#include "platforms/report/resource_loads.h"

namespace strata::cli {

/// A change of the machine that gives about twice as much of one resource, or of several at once.
struct Relief {
  std::vector<std::string> resources;  ///< "mc.bus"
  std::vector<std::string> sets;       ///< of the netlist: "llc.mshrs=128"
  std::optional<double> faster = {};   ///< measured: 0.1 is 10 % more work in the same time
};

/// What the modules of a platform declare, the highest share of its peak first; what cannot be had more of is
/// left out. `files` and `sets` make the platform.
std::vector<Relief> reliefs_of(const platforms::ResolvedNetlist& netlist,
                               std::vector<platforms::ResourceLoad> loads,
                               const std::vector<std::string>& files, const std::vector<std::string>& sets);

/// Runs the same work with each relief, in processes of their own; `arguments` are those of `strata run`. Of
/// work of more than `most` thread instructions only so many, and the machine as it is too.
void measure_reliefs(std::vector<Relief>& reliefs, const std::vector<std::string>& arguments,
                     const platforms::RunCounts& run, std::uint64_t most);

std::string what_if_json(const std::vector<Relief>& reliefs);
/// A line each, what gives most first.
std::string what_if_text(std::vector<Relief> reliefs);

}  // namespace strata::cli
