#include "models/llc_control/organization_kind.h"

namespace strata {
namespace {

/// Every line has one slice, named by its address.
class OrganizationShared final : public Organization {
 public:
  explicit OrganizationShared(const AddressMap& map) : map_(map) {}
  int slice_of(const Access& access) const override {
    const Location where = map_.locate(access.line);
    return where.channel * map_.slices_per_channel() + where.slice;
  }

 private:
  const AddressMap& map_;
};

}  // namespace

OrganizationKind shared_organization() {
  const auto make = [](const LlcControlParams&, const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationShared>(map);
  };
  return {"shared", "the one that the address names", make};
}

}  // namespace strata
