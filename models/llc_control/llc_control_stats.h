#pragma once

#include "models/common/stats.h"

namespace strata {

/// What the control of an LLC reports.
struct LlcControlStats final : StatSet {
  std::uint64_t decisions = 0;
  std::uint64_t kernel_boundaries = 0;
  std::uint64_t flushes = 0;
  std::uint64_t slice_flushes = 0;
  std::uint64_t flush_cycles = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
