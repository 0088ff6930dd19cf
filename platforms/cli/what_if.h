#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/netlist/resolved_netlist.h"
#include "platforms/report/resource_loads.h"
#include "platforms/report/sample_statistics.h"

namespace strata::cli {

/// A change of the machine that gives about twice as much of one resource, or of several at once.
struct Relief {
  std::vector<std::string> resources;  ///< "mc.bus"
  std::vector<std::string> sets;       ///< of the netlist: "llc.mshrs=128"
  std::optional<double> faster = {};   ///< measured: 0.1 is 10 % more work in the same time
  // Where each machine ran several times:
  platforms::Sample speeds = {};
  std::optional<double> half = {};  ///< of the 95 % interval of `faster`
  bool as_best = false;             ///< chance explains what the best one gains more
};

/// What is run again, and how often.
struct WhatIf {
  std::vector<std::string> arguments;  ///< of `strata run`; empty: nothing is asked for
  std::uint64_t most = 0;              ///< thread instructions; of more work only so many
  std::uint64_t runs = 1;              ///< of each machine
  std::uint64_t seed = 1;              ///< of the first
};

/// Of the options of `strata run`. Throws ConfigError.
WhatIf what_if_of(const Arguments& options, const std::vector<std::string>& arguments);

/// What the modules of a platform declare, the highest share of its peak first; what cannot be had more of is
/// left out. `files` and `sets` make the platform.
std::vector<Relief> reliefs_of(const platforms::ResolvedNetlist& netlist,
                               std::vector<platforms::ResourceLoad> loads,
                               const std::vector<std::string>& files, const std::vector<std::string>& sets);

/// Runs the same work with each relief, in processes of their own, and the machine as it is too where `run`
/// was longer. Several runs differ in their seeds, with launches that jitter; what gains less than half of
/// the best in the first has no more of them.
void measure_reliefs(std::vector<Relief>& reliefs, const WhatIf& asked, const platforms::RunCounts& run);
/// Of measured speeds: gains with their intervals, and which are as good as the best. `before`: of the
/// machine as it is.
void judge_reliefs(std::vector<Relief>& reliefs, const std::vector<double>& before);

std::string what_if_json(const std::vector<Relief>& reliefs);
/// A line each, what gives most first.
std::string what_if_text(std::vector<Relief> reliefs);

}  // namespace strata::cli
