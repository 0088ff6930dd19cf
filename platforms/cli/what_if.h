#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/netlist/resolved_netlist.h"
#include "platforms/report/launch_sample.h"
#include "platforms/report/resource_loads.h"
#include "platforms/report/sample_statistics.h"

namespace strata::cli {

/// A change of the machine that gives about twice as much of one resource, or of several at once.
struct Relief {
  std::vector<std::string> resources;  ///< "mc.bus"
  std::vector<std::string> sets;       ///< of the netlist: "llc.mshrs=128"
  std::optional<double> faster = {};   ///< measured: 0.1 is 10 % more work in the same time
  platforms::Sample speeds = {};       ///< where each machine ran several times
  std::optional<double> half = {};     ///< of the 95 % interval of `faster`, by chance or by the sample
  bool as_best = false;                ///< chance explains what the best one gains more
};

/// What is run again, and how often.
struct WhatIf {
  std::vector<std::string> arguments;  ///< of `strata run`; empty: nothing is asked for
  std::uint64_t runs = 1;              ///< of each machine
  std::uint64_t seed = 1;              ///< of the first
  std::uint64_t launches = 0;          ///< of each kernel; 0: all
  bool say = true;                     ///< on stderr, what takes long
  bool progress = false;               ///< a line on stderr that is drawn anew
};

/// What was measured.
struct Measured {
  std::vector<Relief> reliefs;
  std::uint64_t launches = 0, of_launches = 0;   ///< 0 of 0: traffic generators launch none
  double instructions = 0, of_instructions = 0;  ///< of threads
  std::string limit;                             ///< "--max-instructions 1000": the run itself is a part
  std::string interrupted;                       ///< "SIGINT": reliefs without a figure were not measured
  bool sampled() const { return launches != of_launches; }
  /// `all of the run (3 launches)`, `12 of 300 launches, 4 % of thread instructions`
  std::string share_text() const;
};

/// Of the options of `strata run`. Throws ConfigError.
WhatIf what_if_of(const Arguments& options, const std::vector<std::string>& arguments);

/// What the modules of a platform declare, the highest share of its peak first; what cannot be had more of is
/// left out. `files` and `sets` make the platform.
std::vector<Relief> reliefs_of(const platforms::ResolvedNetlist& netlist,
                               std::vector<platforms::ResourceLoad> loads,
                               const std::vector<std::string>& files, const std::vector<std::string>& sets);

/// Runs the same work with each relief, in processes of their own; where only some launches are asked for,
/// these, and on the machine as it is too. Several runs differ in their seeds, with launches that jitter;
/// what gains less than half of the best in the first has no more of them. `kernels_csv`, `seconds`: of
/// `run`. A signal ends it with what is measured by then. Throws ConfigError.
Measured measure_reliefs(std::vector<Relief> reliefs, const WhatIf& asked, const platforms::RunCounts& run,
                         const std::string& kernels_csv, double seconds);
/// Of measured speeds: gains with their intervals, and which are as good as the best. `before`: of the
/// machine as it is. Speeds of one number are pairs: the runs had the same seed.
void judge_reliefs(std::vector<Relief>& reliefs, const platforms::Sample& before);

std::string what_if_json(const Measured& measured);
/// A line each, what gives most first.
std::string what_if_text(Measured measured);

}  // namespace strata::cli
