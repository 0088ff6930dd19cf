#include "platforms/report/kernel_spans.h"

#include <algorithm>

#include "models/cta_dispatcher/cta_dispatcher.h"

namespace strata::platforms {

namespace {

std::string line_of(const KernelSpan& span, const KernelInfo& kernel, Cycle end) {
  std::string name = kernel.name;
  std::replace(name.begin(), name.end(), ',', '_');
  const bool complete = span.ended != never;
  return std::to_string(span.kernel) + "," + name + "," + std::to_string(kernel.application) + "," +
         std::to_string(kernel.ctas()) + "," + std::to_string(span.began) + "," +
         std::to_string(complete ? span.ended : end) + (complete ? ",yes\n" : ",no\n");
}

}  // namespace

std::string kernels_csv(const Platform& platform, const std::vector<InstructionSource*>& sources, Cycle end) {
  std::string text = "kernel,name,application,ctas,began,ended,complete\n";
  for (const PlatformInstance& instance : platform.instances()) {
    const auto* dispatcher = dynamic_cast<const CtaDispatcher*>(instance.block);
    for (std::size_t a = 0; dispatcher != nullptr && a < sources.size(); ++a)
      for (const KernelSpan& span : dispatcher->kernel_spans(static_cast<int>(a)))
        text += line_of(span, sources[a]->kernels()[span.kernel], end);
  }
  return text;
}

}  // namespace strata::platforms
