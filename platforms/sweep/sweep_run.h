#pragma once

#include <string>
#include <vector>

#include "platforms/sweep/sweep_plan.h"
#include "platforms/sweep/sweep_store.h"

namespace strata::platforms {

/// A part of the points: every `of`-th one.
struct Shard {
  std::size_t number = 1, of = 1;
  bool whole() const { return of == 1; }
  /// `sweep`, `sweep-2-of-4`
  std::string name() const;
  std::vector<std::size_t> points(std::size_t all) const;
};

struct SweepOptions {
  std::string out;      ///< folder for the file of results, and `runs` with a directory each
  std::string program;  ///< started for each run
  int jobs = 1;
  Shard shard;
  std::vector<std::string> merge;  ///< files of other sweeps whose figures are taken over
  bool again = false;              ///< simulate what is finished, too
  bool estimate = false;           ///< no more than the runs that tell what all will cost
  bool progress = true;
  bool slurm = false;               ///< as jobs of Slurm, of which `out` is seen under the same name
  std::size_t block = 0;            ///< most points of a job; 0: about a hundred jobs
  std::vector<std::string> sbatch;  ///< more options of its command
};

struct SweepOutcome {
  std::string text;  ///< for the console
  int exit_code = 0;
};

/// Runs the points of a plan that are not finished, `jobs` at a time, and keeps their figures.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options);

/// The file of a sweep's results in its folder.
std::string sweep_file(const std::string& folder, const Shard& shard = {});
std::string sweep_runs(const std::string& folder);

/// Files of shards in a folder: what they have is taken over.
void take_over_shards(SweepStore& store, const SweepPlan& plan, const std::string& folder);

}  // namespace strata::platforms
