#pragma once

#include <functional>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::platforms {

/// A kernel generated during the run: CTAs of equal warps; `write` generates the instructions of each warp.
struct ProbeKernel {
  int ctas = 1;
  int warps = 1;           ///< per CTA
  std::uint64_t work = 0;  ///< loads, bytes or instructions: the amount that is compared with time
  std::uint32_t shared_bytes = 0;
  /// The instructions of warp `warp` (numbered over all CTAs), without its exit.
  std::function<void(std::uint64_t warp, std::vector<WarpInstruction>& out)> write;
};

/// A global memory access with consecutive 4 B per lane.
WarpInstruction line_access(OpClass op, Address address, std::uint8_t destination);
/// An access of one lane that must wait for the access before it.
WarpInstruction chase_access(Address address);
WarpInstruction shared_access(int stride);
/// An instruction that reads a register; `unit` executes it.
WarpInstruction arithmetic(Unit unit, std::uint8_t destination, std::uint8_t source = no_register);

class ProbeSource final : public InstructionSource {
 public:
  explicit ProbeSource(ProbeKernel kernel);
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return "probe"; }

 private:
  ProbeKernel kernel_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

}  // namespace strata::platforms
