#pragma once

#include <cstddef>

#include "platforms/studies/sweep/sweep_run.h"

namespace strata::platforms {

/// Simulates the unfinished points as a job array, one shard of the points per task, follows it and collects
/// its results. Points lost with a node or a process are submitted again, at most twice. If a job of this
/// sweep still exists, it is followed instead. Returns false if interrupted; the job is cancelled then.
bool simulate_on_slurm(const SweepPlan& plan, const SweepOptions& options, SweepStore& store);

}  // namespace strata::platforms
