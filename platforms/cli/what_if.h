#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/report/launch_sample.h"
#include "platforms/report/resource_loads.h"
#include "platforms/report/sample_statistics.h"
#include "platforms/report/verdict.h"

namespace strata::cli {

/// A relaxation: a change of the machine that gives about twice as much of one or more resources.
struct Relief {
  std::vector<std::string> resources;  ///< "mc.bus"
  std::vector<std::string> sets;       ///< settings of the netlist: "llc.mshrs=128"
  std::optional<double> faster = {};   ///< measured: 0.1 is 10 % more work in the same time
  platforms::Sample speeds = {};       ///< if each machine ran several times
  std::optional<double> half = {};  ///< half of the 95 % interval of `faster`, from seeds or from the sample
  bool as_best = false;             ///< its distance from the best gain can be chance
};

/// What to run again, and how often.
struct WhatIf {
  std::vector<std::string> arguments;  ///< arguments of `strata run`; empty: nothing is requested
  std::uint64_t runs = 1;              ///< per machine
  std::uint64_t seed = 1;              ///< seed of the first run
  std::uint64_t launches = 0;          ///< per kernel; 0: all
  bool say = true;                     ///< announce on stderr what takes long
  bool progress = false;               ///< show progress in a line on stderr
};

/// Part of the work that was measured.
struct Measured {
  std::vector<Relief> reliefs;
  std::uint64_t launches = 0, of_launches = 0;   ///< 0 of 0: traffic generators launch none
  double instructions = 0, of_instructions = 0;  ///< thread instructions
  std::string limit;                             ///< "--max-instructions 1000": the run itself is only a part
  std::string interrupted;                       ///< "SIGINT": relaxations without a figure were not measured
  bool sampled() const { return launches != of_launches; }
  /// `all of the run (3 launches)`, `12 of 300 launches, 4 % of thread instructions`
  std::string share_text() const;
};

/// From the options of `strata run`. Throws ConfigError.
WhatIf what_if_of(const Arguments& options, const std::vector<std::string>& arguments);

/// The relaxations that the modules of a platform declare, the highest share of its peak first. Resources
/// that cannot be increased are left out. `files` and `sets` make the platform.
std::vector<Relief> reliefs_of(const platforms::ResolvedNetlist& netlist,
                               std::vector<platforms::ResourceLoad> loads,
                               const std::vector<std::string>& files, const std::vector<std::string>& sets);

/// Runs the same work with each relaxation, in separate processes. If only some launches are requested, it
/// runs these, and on the unchanged machine too. Repeated runs differ in their seeds, with jittered launches;
/// a relaxation that gains less than half of the best in the first run is not repeated. `kernels_csv`,
/// `seconds`: of `run`. On a signal it returns what it has measured so far. Throws ConfigError.
Measured measure_reliefs(std::vector<Relief> reliefs, const WhatIf& asked, const platforms::RunCounts& run,
                         const std::string& kernels_csv, double seconds);
/// Computes gains with their intervals from measured speeds, and marks those as good as the best. `before`:
/// the unchanged machine. Speeds of the same number form pairs: their runs had the same seed.
void judge_reliefs(std::vector<Relief>& reliefs, const platforms::Sample& before);

std::string what_if_json(const Measured& measured);
/// One line each, the largest gain first.
std::string what_if_text(Measured measured);

/// Puts the measured gains into the advice of the verdict: the best relaxation, and the one that the rule
/// names if it is another.
void note_measured(platforms::Verdict& verdict, const std::vector<Relief>& reliefs,
                   const platforms::RunCounts& run);

}  // namespace strata::cli
