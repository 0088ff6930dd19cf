// What the netlist knows of `cta_dispatcher`.
#include "models/cta_dispatcher/cta_dispatcher.h"

namespace strata {

const ModuleKind& cta_dispatcher_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<CtaDispatcherParams, CtaDispatcherStats, CtaDispatcher>(
        "cta_dispatcher",
        "Launches kernels CTA by CTA on the SM clusters, with store drain and L1 flush between kernels",
        Role::dispatcher, "core", [](const ParamSet& params) -> std::vector<PortSpec> {
          const int clusters = static_cast<const CtaDispatcherParams&>(params).clusters;
          return {{"cluster", PortRole::control_out, clusters, false, "CtaLaunchIf", "SM cluster i"},
                  {"boundary", PortRole::control_out, 1, true, "KernelBoundaryIf",
                   "Requests to it say that a kernel has ended; the next kernel waits for its reply"}};
        });
    row.untimed = true;
    return row;
  }();
  return kind;
}

}  // namespace strata
