#pragma once

#include <cstddef>

#include "platforms/sweep/sweep_run.h"

namespace strata::platforms {

/// Simulates the points that are not done as an array of jobs, a shard of the points each, follows them and
/// takes over what they have. What died with a node or a process is submitted again, twice at most. A job of
/// this sweep that is still there is followed instead. False: interrupted; the job is cancelled then.
bool simulate_on_slurm(const SweepPlan& plan, const SweepOptions& options, SweepStore& store);

}  // namespace strata::platforms
