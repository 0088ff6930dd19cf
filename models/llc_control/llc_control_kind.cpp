// The row of `llc_control` in the table of modules.
#include "models/llc_control/llc_control.h"

namespace strata {
namespace {

std::vector<PortSpec> ports(const ParamSet& params) {
  const auto& p = static_cast<const LlcControlParams&>(params);
  std::vector<PortSpec> specs = {
      {"organization", PortRole::control_in, p.routers, true, "organization", "questions of router stage i"},
      {"boundary", PortRole::control_in, 1, true, "KernelBoundaryIf", "kernels and SMs, from the dispatcher"},
      {"slice", PortRole::control_out, p.slices, true, "SliceControlIf", "LLC slice i"},
      {"registers", PortRole::target, 1, true, "registers",
       "register window, for initiators of users' benches"}};
  if (p.gates != 0)
    specs.push_back({"gate", PortRole::control_out, p.gates, true, "RouterControlIf",
                     "router stage that is gated while the LLC is private"});
  return specs;
}

}  // namespace

const ModuleKind& llc_control_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<LlcControlParams, LlcControlStats, LlcControl>(
        "llc_control",
        "Control of the LLC: which slice serves a request, changes of organization, flushes between kernels",
        Role::control, "core", ports);
    row.untimed = true;
    return row;
  }();
  return kind;
}

}  // namespace strata
