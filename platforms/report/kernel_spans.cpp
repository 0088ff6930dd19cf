#include "platforms/report/kernel_spans.h"

#include <algorithm>

#include "models/cta_dispatcher/cta_dispatcher.h"

namespace strata::platforms {

std::string kernels_csv(const Platform& platform, const traces::InstructionSource& source, Cycle end) {
  std::string text = "kernel,name,application,ctas,began,ended,complete\n";
  for (const PlatformInstance& instance : platform.of_kind("cta_dispatcher"))
    for (const KernelSpan& span : dynamic_cast<const CtaDispatcher&>(*instance.block).kernel_spans()) {
      const traces::KernelInfo& kernel = source.kernels()[span.kernel];
      std::string name = kernel.name;
      std::replace(name.begin(), name.end(), ',', '_');
      const bool complete = span.ended != never;
      text += std::to_string(span.kernel) + "," + name + "," + std::to_string(kernel.application) + "," +
              std::to_string(kernel.ctas()) + "," + std::to_string(span.began) + "," +
              std::to_string(complete ? span.ended : end) + (complete ? ",yes\n" : ",no\n");
    }
  return text;
}

}  // namespace strata::platforms
