#include "models/llc_control/organization_kind.h"

namespace strata {
namespace {

/// Each channel has one slice per cluster (ISCA 2019, section III). With more clusters than slices per
/// channel, cluster c shares slice c mod slices. Atomics need one place of execution: they go where the
/// address says.
class OrganizationPrivate final : public Organization {
 public:
  explicit OrganizationPrivate(const AddressMap& map) : map_(map) {}
  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    const int slices = map_.slices_per_channel();
    const int own = access.cluster < slices ? access.cluster : access.cluster % slices;
    return where.channel * slices + (access.access_class == AccessClass::atomic ? where.slice : own);
  }
  LlcMode mode() const override { return LlcMode::private_; }
  int degree() const override { return map_.slices_per_channel(); }
  KernelEndFlush at_kernel_end() const override { return KernelEndFlush::everything; }

 private:
  const AddressMap& map_;
};

}  // namespace

OrganizationKind private_organization() {
  const auto make = [](const LlcControlParams&, const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationPrivate>(map);
  };
  OrganizationKind kind{"private", "the one of the requester's cluster", make};
  kind.always_private = true;
  kind.faults = [](const LlcControlParams& params) -> Faults {
    if (params.gates == 0 || !params.organizations.empty()) return {};
    return {param_fault("gates", "is " + std::to_string(params.gates) +
                                     ", but a private LLC never changes; set bypass at the routers")};
  };
  return kind;
}

}  // namespace strata
