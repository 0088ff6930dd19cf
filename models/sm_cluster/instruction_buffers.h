#pragma once

#include <cstdint>
#include <vector>

#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// The instruction buffers of an SM's warps, by warp slot. Without a size every instruction is always there.
class InstructionBuffers {
 public:
  explicit InstructionBuffers(const SmClusterParams& params)
      : size_(static_cast<std::uint32_t>(params.instruction_buffer)),
        bubble_(static_cast<Cycle>(params.fetch_bubble)),
        left_(static_cast<std::size_t>(params.warps)) {}

  bool modelled() const { return size_ != 0; }
  void fill(int slot) { left_[static_cast<std::size_t>(slot)] = size_; }
  /// `count` instructions have issued, in slots that end before `end`: from when on the next one is there.
  /// Each time that the buffer is empty that is a bubble later; the bubbles within a run come behind it.
  Cycle leave(int slot, std::uint32_t count, Cycle end) {
    std::uint32_t& left = left_[static_cast<std::size_t>(slot)];
    if (count < left) {
      left -= count;
      return 0;
    }
    const std::uint32_t more = count - left;
    left = size_ - more % size_;
    return end + (1 + more / size_) * bubble_;
  }

 private:
  std::uint32_t size_;
  Cycle bubble_;
  std::vector<std::uint32_t> left_;  // instructions in the buffer
};

}  // namespace strata
