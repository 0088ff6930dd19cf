#include "models/llc_control/llc_control.h"

namespace strata {

LlcControl::LlcControl(sc_core::sc_module_name module_name, const LlcControlParams& params,
                       const BuildContext& context)
    : Block(module_name, context.clock),
      params_(params),
      organization_(make_organization(params, context.map)) {
  const int slices = context.map.channels() * context.map.slices_per_channel();
  if (params.slices != slices)
    throw ConfigError(
        Faults{param_fault("slices", "is " + std::to_string(params.slices) + " but the address map has " +
                                         std::to_string(slices))});
  for (int i = 0; i < params.routers; ++i)
    organization_ports_.emplace_back(*this, "organization", i, static_cast<OrganizationPortIf&>(*this));
  for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
}

void LlcControl::start_of_simulation() {
  if (!organization_->writes_through()) return;
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    if (slice.bound()) slice->set_write_through(true);
}

int LlcControl::slice_for(Address line, int cluster, AccessClass access_class) {
  ++stats_.decisions;
  return organization_->slice_for(line, cluster, access_class);
}

void LlcControl::kernel_ended(KernelBoundaryDoneIf& done, Cycle now) {
  ++stats_.kernel_boundaries;
  int slices = 0;
  if (organization_->flushes_at_kernel_end())
    for (ControlOut<SliceControlIf>& slice : slice_ports_) slices += slice.bound() ? 1 : 0;
  if (slices == 0) return done.kernel_boundary_done(now);
  ++stats_.flushes;
  boundary_done_ = &done;
  slices_flushing_ = slices;
  flush_began_ = now;
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    if (slice.bound()) slice->begin_flush(*this, slice.index());
}

void LlcControl::slice_flushed(int, Cycle ledger_cycle) {
  ++stats_.slice_flushes;
  if (--slices_flushing_ != 0) return;
  stats_.flush_cycles += ledger_cycle - flush_began_;
  KernelBoundaryDoneIf& done = *boundary_done_;
  boundary_done_ = nullptr;
  done.kernel_boundary_done(ledger_cycle);
}

Faults LlcControl::check_idle() const {
  if (slices_flushing_ == 0) return {};
  return {{{name(), 0, 0}, std::to_string(slices_flushing_) + " slices are still being flushed"}};
}

std::vector<WaitNote> LlcControl::waits() const {
  if (slices_flushing_ == 0) return {};
  return {{"flush at the kernel boundary", "", slices_flushing_, params_.slices, nullptr}};
}

const ModuleKind& llc_control_kind() {
  static const ModuleKind kind{
      "llc_control",
      "Control of the LLC: which slice serves a request, flushes at kernel boundaries",
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<LlcControlParams>(); },
      [](const ParamSet& params) -> std::vector<PortSpec> {
        const auto& p = static_cast<const LlcControlParams&>(params);
        return {{"organization", PortRole::control_in, p.routers, true, "organization",
                 "questions of router stage i"},
                {"boundary", PortRole::control_in, 1, true, "KernelBoundaryIf",
                 "kernel ends, from the dispatcher"},
                {"slice", PortRole::control_out, p.slices, true, "SliceControlIf", "LLC slice i"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<LlcControl>(name, static_cast<const LlcControlParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<LlcControlStats>(); },
      nullptr,
      true};
  return kind;
}

}  // namespace strata
