#pragma once

#include "models/common/stats.h"

namespace strata {

struct ContentionTrackerStats final : StatSet {
  std::uint64_t misses = 0, other_misses = 0;
  std::uint64_t demotions = 0, self_demotions = 0;
  std::uint64_t evictions = 0, self_evictions = 0;
  std::uint64_t lines = 0, owner_bits = 0, plob_bits = 0, gdc_bits = 0;
  std::uint64_t counter_resets = 0;
  std::uint64_t register_reads = 0, register_writes = 0, register_errors = 0;

  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
