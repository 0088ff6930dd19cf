#pragma once

#include <string>

#include "models/common/instruction_source.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// What the CTAs of one SM take of its warps, threads, registers, shared memory and CTA slots.
class Occupancy {
 public:
  /// Granularities of the CUDA occupancy calculator, compute capability 3.0 and later.
  static constexpr int registers_per_block = 256;  // allocated per warp
  static constexpr int shared_bytes_per_block = 256;

  struct Cost {
    int warps;
    std::int64_t registers;
    std::int64_t shared_bytes;
  };

  explicit Occupancy(const SmClusterParams& params)
      : most_warps_(params.warps < params.threads / 32 ? params.warps : params.threads / 32),
        most_ctas_(params.ctas),
        most_registers_(params.registers),
        most_shared_(static_cast<std::int64_t>(params.shared_memory.count)),
        threads_limit_(params.threads / 32 < params.warps) {}

  static Cost cost(const KernelInfo& kernel);

  /// CTAs of the kernel that fit beside those that are there.
  int room(const KernelInfo& kernel) const;
  /// CTAs of the kernel that fit into the empty SM; names the resource that limits them.
  int most(const KernelInfo& kernel, std::string* limiter) const;
  void take(const Cost& cost);
  void give_back(const Cost& cost);
  int ctas() const { return ctas_; }
  int warps() const { return warps_; }
  std::int64_t shared_bytes() const { return shared_; }

 private:
  int most_warps_;
  int most_ctas_;
  std::int64_t most_registers_;
  std::int64_t most_shared_;
  bool threads_limit_;
  int warps_ = 0;
  int ctas_ = 0;
  std::int64_t registers_ = 0;
  std::int64_t shared_ = 0;
};

}  // namespace strata
