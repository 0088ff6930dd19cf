#pragma once

#include <cstdint>
#include <vector>

#include "platforms/report/sector_recorder.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// Part of a whole; both empty if the platform does not count it.
struct CountedShare {
  std::uint64_t part = 0, whole = 0;
};

/// Columns of by_launch.csv for a launch, besides its name and cycles.
struct LaunchCounts {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  LaunchSectors sectors;
  CountedShare l1_hits;         ///< sectors if L1s have sectors, otherwise loads
  CountedShare llc_read_hits;   ///< read requests
  CountedShare llc_hits;        ///< sectors, or requests, of all classes that needed no fill
  bool dram_is_known = false;   ///< the tables have DRAM channels
  std::uint64_t dram_read = 0;  ///< sectors of 32 B
  std::uint64_t dram_written = 0;
};

/// From the counts of blocks during the launch; the caller adds the sectors of requests.
LaunchCounts launch_counts(const std::vector<InstanceStats>& tables);

}  // namespace strata::platforms
