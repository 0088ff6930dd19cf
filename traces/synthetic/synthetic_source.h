#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/synthetic/synthetic_params.h"

namespace strata::traces {

/// A stream made from parameters. `fetch(kernel, cta)` depends on them only: any order, any number of times.
class SyntheticSource final : public InstructionSource {
 public:
  /// `run_seed` counts when the parameters give no seed. Throws ConfigError when they contradict each other.
  explicit SyntheticSource(SyntheticParams params, std::uint64_t run_seed = 1);

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  /// With the seed: it gives this stream in whatever run.
  std::string description() const override { return "synthetic:" + to_spec(params_); }
  std::uint64_t warp_instructions() const override;

 private:
  SyntheticParams params_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

}  // namespace strata::traces
