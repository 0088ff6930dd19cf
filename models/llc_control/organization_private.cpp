#include "models/llc_control/organization.h"

namespace strata {
namespace {

/// Each channel has one slice per cluster (ISCA 2019, section III). With more clusters than slices per
/// channel, cluster c shares slice c mod slices. Atomics need one place of execution: they go where the
/// address says.
class PrivateOrganization final : public Organization {
 public:
  explicit PrivateOrganization(const AddressMap& map) : map_(map) {}
  int slice_for(Address line, int cluster, AccessClass access_class) override {
    const Location where = map_.locate(line);
    const int slices = map_.slices_per_channel();
    const int own = cluster < slices ? cluster : cluster % slices;
    return where.channel * slices + (access_class == AccessClass::atomic ? where.slice : own);
  }
  bool writes_through() const override { return true; }
  bool flushes_at_kernel_end() const override { return true; }

 private:
  const AddressMap& map_;
};

}  // namespace

std::unique_ptr<Organization> make_organization_private(const AddressMap& map) {
  return std::make_unique<PrivateOrganization>(map);
}

}  // namespace strata
