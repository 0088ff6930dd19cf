#include "models/llc_control/organization.h"
#include "models/llc_control/organization_kind.h"

namespace strata {

StorageFields LlcControlParams::predictors(const AddressMap& map, std::uint64_t slice_sets,
                                           int slice_ways) const {
  LlcMachine machine;
  machine.slice.sets = slice_sets;
  machine.slice.ways = slice_ways;
  StorageFields fields;
  for (const OrganizationKind* const kind : kinds()) {
    LlcControlParams own = *this;
    own.organization = named(kind->name);
    own.organizations.clear();
    if (!own.changes_mode() && !own.replicates()) continue;  // as a run: nothing to predict
    const auto made = make_organization(own, map);
    made->attach(machine);
    for (StorageField& field : made->predictors()) fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace strata
