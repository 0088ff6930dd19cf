#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/synthetic/synthetic_params.h"

namespace strata::traces {

/// A stream made from parameters. `fetch(kernel, cta)` depends only on them: any order, any number of times.
class SyntheticSource final : public InstructionSource {
 public:
  /// `run_seed` is used if the parameters have no seed. Throws ConfigError if the parameters contradict each
  /// other.
  explicit SyntheticSource(SyntheticParams params, std::uint64_t run_seed = 1);

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  /// Includes the seed, so that it gives the same stream in every run.
  std::string description() const override { return "synthetic:" + to_spec(params_); }
  std::uint64_t warp_instructions() const override;

 private:
  SyntheticParams params_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

}  // namespace strata::traces
