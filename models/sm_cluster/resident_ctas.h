#pragma once

#include <memory>
#include <vector>

#include "models/common/ring_queue.h"
#include "models/sm_cluster/cta_barriers.h"
#include "models/sm_cluster/decoded_cta.h"
#include "models/sm_cluster/occupancy.h"

namespace strata {

/// A CTA that runs on an SM: what its accesses carry.
struct ResidentCta {
  DecodedCta code;
  const KernelInfo* kernel = nullptr;
  std::uint64_t slots = 0;    ///< warp slots it holds, until its end
  std::uint64_t arrived = 0;  ///< of those: at the barrier
  int live = 0;               ///< warps that have not ended
  // Of the CTA in its kernel, and of the kernel: copies, since every access wants them.
  std::uint32_t index = 0;
  std::uint32_t kernel_id = 0;
  std::uint64_t cluster = 0;  ///< which thread block cluster of the kernel it is of
  std::uint8_t application = 0;
  CtaBarriers barriers;  ///< all but the one of `arrived`
};

/// The CTAs of an SM, the warp slots they hold, and the instructions of their warps.
class ResidentCtas {
 public:
  /// `decoder`: of these parameters; several SMs may have one.
  ResidentCtas(const SmClusterParams& params, std::shared_ptr<CtaDecoder> decoder);

  const Occupancy& occupancy() const { return occupancy_; }
  bool empty() const { return occupancy_.ctas() == 0; }
  /// A CTA, for which there is room, begins: its place here. Its warps take slots in rising order.
  int start(const KernelInfo& kernel, const CtaTrace& trace);
  ResidentCta& operator[](std::size_t place) { return ctas_[place]; }
  const ResidentCta& operator[](std::size_t place) const { return ctas_[place]; }
  void end(int place);
  /// Kernel id of a CTA that has ended since the last call, oldest first; false when there is none.
  bool take_finished(std::uint32_t& kernel);

 private:
  Occupancy occupancy_;
  std::uint64_t free_ctas_;
  std::uint64_t free_slots_;
  std::vector<ResidentCta> ctas_;
  RingQueue<std::uint32_t> finished_;
  std::shared_ptr<CtaDecoder> decoder_;
};

}  // namespace strata
