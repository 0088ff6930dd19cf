#include "models/llc_control/llc_tenants.h"

#include <algorithm>

namespace strata {

LlcTenants::LlcTenants(const LlcControlParams& params, const AddressMap& map, int count)
    : tenants_(static_cast<std::size_t>(count)) {
  for (int a = 0; a < count; ++a) {
    LlcTenant& tenant = tenants_[static_cast<std::size_t>(a)];
    const LlcControlParams own = params.of_application(a, count);
    tenant.index = a;
    tenant.applications = only_application(a);
    tenant.organization = make_organization(own, map);
    tenant.changes_mode = own.changes_mode();
    tenant.replicates = own.replicates();
    tenant.wanted = tenant.organization->mode();
  }
  tenants_.front().applications |= every_application << count;
  for (std::size_t a = 0; a < place_.size(); ++a) {
    place_[a] = a < tenants_.size() ? a : 0;
    organizations_[a] = tenants_[place_[a]].organization.get();
  }
}

bool LlcTenants::all_private(const LlcTenant* but) const {
  return std::all_of(tenants_.begin(), tenants_.end(), [but](const LlcTenant& tenant) {
    return &tenant == but || tenant.organization->mode() == LlcMode::private_;
  });
}

bool LlcTenants::watch() const {
  return std::any_of(tenants_.begin(), tenants_.end(),
                     [](const LlcTenant& tenant) { return tenant.organization->watches(); });
}

}  // namespace strata
