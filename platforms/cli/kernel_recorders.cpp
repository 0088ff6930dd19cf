#include "platforms/cli/kernel_recorders.h"

#include "models/common/faults.h"

namespace strata::cli {

platforms::KernelRecorders kernel_recorders(const platforms::Platform& platform,
                                            const std::vector<platforms::ApplicationRun>& runs,
                                            const std::string& option, platforms::SessionOptions& session) {
  if (runs.empty()) throw ConfigError(option + ": traffic generators run no kernels");
  platforms::KernelRecorders kernels;
  std::vector<platforms::KernelRecorder*> told;
  int first_sm = 0;
  for (const platforms::ApplicationRun& run : runs) {
    if (runs.size() == 1)
      kernels.push_back(std::make_unique<platforms::KernelRecorder>(platform, *run.source));
    else
      kernels.push_back(std::make_unique<platforms::KernelRecorder>(
          platform, *run.source, static_cast<int>(told.size()), first_sm, run.sms));
    told.push_back(kernels.back().get());
    first_sm += run.sms;
  }
  session.kernel_ended = [told](int application, std::size_t kernel, bool alone, Cycle now) {
    told[static_cast<std::size_t>(application)]->kernel_ended(kernel, alone, now);
  };
  return kernels;
}

}  // namespace strata::cli
