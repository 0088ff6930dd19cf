#pragma once

#include <string>
#include <vector>

#include "models/llc_predictors/headroom.h"

namespace strata::platforms {

/// The run whose lookups were recorded, as far as its ceilings go. Without cycles only hit rates, slice
/// parallelism and bandwidths are reported.
struct HeadroomRun {
  Cycle cycles = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t issue_slots = 0;  ///< warp instructions that all SMs issue in a cycle at most; 0 = unknown
  double hit_rate = 0;            ///< as simulated
};

/// A policy that is held against the ceilings.
struct JudgedRun {
  std::string name;
  double cycles = 0;
  double thread_instructions = 0;
};

/// What the LLC could gain at best on a recorded stream: hit rate, slice parallelism and bandwidth with LRU
/// at every degree of replication, with OPT and with infinite capacity, each behind a network without limits;
/// then how many clusters and SMs share lines within a window, and the judged runs.
std::string headroom_report(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                            const HeadroomRun& run = {}, const std::vector<JudgedRun>& judged = {});

/// Cycles that the stream takes at least: what its busiest slice, memory and the issue of instructions need.
/// A limit that is unknown (0 or infinite) does not count.
double cycles_at_least(const HeadroomResult& result, const HeadroomParams& params, const HeadroomRun& run);

}  // namespace strata::platforms
