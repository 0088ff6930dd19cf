#pragma once

#include <functional>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::platforms {

/// A kernel that is made while it runs: CTAs of equal warps, each of which `write` gives its instructions.
struct ProbeKernel {
  int ctas = 1;
  int warps = 1;           ///< of a CTA
  std::uint64_t work = 0;  ///< loads, bytes or instructions: what is set against time
  std::uint32_t shared_bytes = 0;
  /// The instructions of warp number `warp` of all, but for its exit.
  std::function<void(std::uint64_t warp, std::vector<WarpInstruction>& out)> write;
};

/// An access of global memory in which each lane has 4 B, one behind the other.
WarpInstruction line_access(OpClass op, Address address, std::uint8_t destination);
/// The same of one lane, which must wait for the access before it.
WarpInstruction chase_access(Address address);
WarpInstruction shared_access(int stride);
/// Reads a register. `unit` is what executes it.
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
