// A trace of one kernel: every warp loads a number of lines, one after the other. `--trace my_plugin:64`.
#include <cstdlib>

#include "models/common/faults.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

using namespace strata;

class MyPlugin final : public InstructionSource {
 public:
  explicit MyPlugin(std::uint64_t lines) : lines_(lines), kernels_(1) {
    kernels_[0].name = "my_plugin";
    kernels_[0].grid.x = 8;
    kernels_[0].block.x = 32;
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::string description() const override { return "my_plugin:" + std::to_string(lines_); }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t cta) override {
    auto trace = std::make_shared<CtaTrace>();
    trace->index = cta;
    trace->instructions.resize(lines_ + 1);
    for (std::uint64_t i = 0; i < lines_; ++i) {
      WarpInstruction& load = trace->instructions[i];
      load.op = OpClass::load;
      load.address_kind = AddressKind::stride;
      load.address = (cta * lines_ + i) * 128;
      load.stride = load.width = 4;
      load.active_mask = ~0U;
      load.destination = 8;
    }
    trace->instructions.back().op = OpClass::exit;
    trace->instructions.back().active_mask = ~0U;
    trace->warp_begin = {0, static_cast<std::uint32_t>(lines_ + 1)};
    return trace;
  }

 private:
  std::uint64_t lines_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

std::unique_ptr<InstructionSource> open(const std::string& spec, std::uint64_t /*seed*/) {
  const std::uint64_t lines = std::strtoull(spec.c_str(), nullptr, 10);
  if (lines == 0 || lines > 10'000)
    throw ConfigError("--trace my_plugin:" + spec + ": expected a number of lines; allowed: 1 to 10000");
  return std::make_unique<MyPlugin>(lines);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::TraceKind{"my_plugin", "every warp loads lines, one after the other", open});
}
