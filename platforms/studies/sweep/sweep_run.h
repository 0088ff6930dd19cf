#pragma once

#include <string>
#include <vector>

#include "platforms/studies/sweep/sweep_plan.h"
#include "platforms/studies/sweep/sweep_store.h"

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
  std::string out;      ///< folder for the file of results, and for `runs` with one directory per run
  std::string program;  ///< program to start for each run
  int jobs = 1;
  Shard shard;
  std::vector<std::string> merge;  ///< files of other sweeps whose figures are imported
  bool again = false;              ///< also simulate finished points
  bool estimate = false;           ///< only the runs that the cost estimate needs
  bool progress = true;
  bool slurm = false;               ///< as Slurm jobs, which must see `out` under the same name
  std::size_t block = 0;            ///< maximum of points per job; 0: about a hundred jobs
  std::vector<std::string> sbatch;  ///< additional options of sbatch
};

struct SweepOutcome {
  std::string text;  ///< for the console
  int exit_code = 0;
};

/// Runs the unfinished points of a plan, `jobs` at a time, and keeps their figures.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options);

/// The file of a sweep's results in its folder.
std::string sweep_file(const std::string& folder, const Shard& shard = {});
std::string sweep_runs(const std::string& folder);

/// Imports the files of shards in a folder.
void take_over_shards(SweepStore& store, const SweepPlan& plan, const std::string& folder);

}  // namespace strata::platforms
