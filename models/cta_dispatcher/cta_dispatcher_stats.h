#pragma once

#include <array>
#include <cstdint>

#include "models/common/stats.h"

namespace strata {

/// Phases of the dispatcher; a kernel goes through them in this order.
enum class KernelPhase : std::uint8_t { launching, running, draining, flushing, boundary, finished, count_ };

/// Statistics of `cta_dispatcher`.
struct CtaDispatcherStats final : StatSet {
  std::uint64_t kernels_launched = 0;
  std::uint64_t kernels_done = 0;
  std::uint64_t kernels_running = 0;
  std::uint64_t ctas_launched = 0;
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_running = 0;
  std::uint64_t full_cycles = 0;
  std::uint64_t overlap_cycles = 0;  // reported only if not 0, as is most_kernels
  std::uint64_t most_kernels = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(KernelPhase::count_)> phase_cycles{};

  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
