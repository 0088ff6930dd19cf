// The table of organizations: a declaration and a row each, in the order in which pages show them.
#include "models/llc_control/organization_kind.h"

namespace strata {

OrganizationKind shared_organization();
OrganizationKind private_organization();
OrganizationKind static_organization();
OrganizationKind adaptive_organization();
OrganizationKind selrep_organization();

PolicyTable<OrganizationKind>& OrganizationKind::table() {
  static PolicyTable<OrganizationKind> kinds = {
      shared_organization(),    //
      private_organization(),   //
      static_organization(),    //
      adaptive_organization(),  //
      selrep_organization(),    //
  };
  return kinds;
}

std::unique_ptr<Organization> make_organization(const LlcControlParams& params, const AddressMap& map) {
  const OrganizationKind& kind = params.kind();
  Faults faults = kind.faults_with_slices(params, map.slices_per_channel());
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return kind.make(params, map);
}

}  // namespace strata
