#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/source.h"
#include "traces/synthetic/synthetic_params.h"

namespace strata::traces {

/// A stream made from parameters. `fetch(kernel, cta)` depends on them only: any order, any number of times.
class SyntheticSource final : public InstructionSource {
 public:
  /// Throws ConfigError when the parameters contradict each other.
  explicit SyntheticSource(SyntheticParams params);

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return "synthetic:" + to_spec(params_); }
  std::uint64_t warp_instructions() const override;

 private:
  SyntheticParams params_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

}  // namespace strata::traces
