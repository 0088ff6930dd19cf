#include "models/llc_control/organization.h"

namespace strata {
namespace {

/// Every line has one slice, named by its address.
class SharedOrganization final : public Organization {
 public:
  explicit SharedOrganization(const AddressMap& map) : map_(map) {}
  int slice_for(Address line, int, AccessClass) override {
    const Location where = map_.locate(line);
    return where.channel * map_.slices_per_channel() + where.slice;
  }
  bool writes_through() const override { return false; }
  bool flushes_at_kernel_end() const override { return false; }

 private:
  const AddressMap& map_;
};

}  // namespace

std::unique_ptr<Organization> make_organization_shared(const AddressMap& map) {
  return std::make_unique<SharedOrganization>(map);
}

}  // namespace strata
