#pragma once

#include <string>
#include <vector>

#include "models/llc_predictors/headroom.h"

namespace strata::platforms {

/// The run whose lookups were recorded, as far as the ceilings need it. Without cycles only hit rates, slice
/// parallelism and bandwidths are reported.
struct HeadroomRun {
  Cycle cycles = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t issue_slots = 0;  ///< upper bound of warp instructions per cycle, all SMs; 0 = unknown
  double hit_rate = 0;            ///< as simulated
};

/// A policy to be compared with the ceilings.
struct JudgedRun {
  std::string name;
  double cycles = 0;
  double thread_instructions = 0;
};

/// Upper bounds for the LLC on a recorded stream: hit rate, slice parallelism and bandwidth with LRU at every
/// degree of replication, with OPT and with infinite capacity, each behind an unlimited network; then how
/// many clusters and SMs share lines within a window, and the compared runs.
std::string headroom_report(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                            const HeadroomRun& run = {}, const std::vector<JudgedRun>& judged = {});

/// Lower bound for the cycles of the stream: the need of its busiest slice, of memory and of instruction
/// issue. An unknown limit (0 or infinite) does not count.
double cycles_at_least(const HeadroomResult& result, const HeadroomParams& params, const HeadroomRun& run);

}  // namespace strata::platforms
