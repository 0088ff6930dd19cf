#pragma once

#include "models/common/stats.h"

namespace strata {

/// What a memory controller reports.
struct MemoryControllerStats final : StatSet {
  std::uint64_t accepted = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t atomics = 0;
  std::uint64_t forwarded_reads = 0;
  std::uint64_t started = 0;  ///< requests for which a first command was issued
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;
  std::uint64_t reads_finished = 0;
  std::uint64_t writes_finished = 0;
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t policy_precharges = 0;
  std::uint64_t policy_reopened = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t refresh_precharges = 0;
  std::uint64_t refresh_delay = 0;  ///< cycles
  std::uint64_t bursts = 0;
  std::uint64_t write_drains = 0;
  std::uint64_t starved = 0;
  std::uint64_t lost_row_hits = 0;
  std::uint64_t read_stalls = 0;
  std::uint64_t write_stalls = 0;
  std::uint64_t read_wait = 0;   ///< cycles
  std::uint64_t write_wait = 0;  ///< cycles
  Histogram read_latency;
  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
