#pragma once

#include "models/common/stats.h"
#include "models/noc/switching/crossbar.h"

namespace strata {

/// Statistics of a router stage.
struct RouterStageStats final : StatSet {
  /// Statistics of one network: counts of its crossbar, and figures computed when statistics are read.
  struct Network {
    CrossbarCounters counters;
    std::uint64_t busy_cycles = 0;      // over all outputs
    std::uint64_t busy_cycles_max = 0;  // of the busiest output
    std::uint64_t port_cycles = 0;      // cycles times outputs
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t gated_flits = 0;  // of flits_out: while the crossbar was bypassed
  };
  Network request;
  Network reply;
  std::uint64_t completed_early = 0;
  std::uint64_t cycles = 0;
  std::uint64_t gated_cycles = 0;

  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
