#pragma once

#include "models/sm_cluster/packed_cta.h"

namespace strata {

/// A CTA that runs on an SM: what its accesses carry.
struct ResidentCta {
  PackedCta trace;
  const KernelInfo* kernel = nullptr;
  std::uint64_t slots = 0;    ///< warp slots it holds, until its end
  std::uint64_t arrived = 0;  ///< of those: at the barrier
  int live = 0;               ///< warps that have not ended
  // Of the CTA in its kernel, and of the kernel: copies, since every access wants them.
  std::uint32_t index = 0;
  std::uint32_t kernel_id = 0;
  std::uint8_t application = 0;
};

}  // namespace strata
