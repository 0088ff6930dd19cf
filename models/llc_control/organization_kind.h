#pragma once

#include "models/common/policy_table.h"
#include "models/llc_control/organization.h"

namespace strata {

/// A row of the table of organizations: all that the rest of the machine knows of one. organization_NAME.cpp
/// defines and makes it; organization_fixed.cpp, those that never change.
struct OrganizationKind {
  std::string_view name;      ///< in netlists
  std::string_view sentence;  ///< which slice of a line's channel serves a request
  std::unique_ptr<Organization> (*make)(const LlcControlParams& params, const AddressMap& map);
  bool changes_mode = false;    ///< while kernels run, which takes the SMs' standing still
  bool replicates = false;      ///< lines may have replicas, which the slices watch
  bool always_private = false;  ///< works behind routers that are always bypassed
  int epoch = 1'000'000;        ///< cycles, where the parameters leave it open
  /// What of the parameters does not fit together, or to so many slices of a channel.
  Faults (*faults)(const LlcControlParams& params) = [](const LlcControlParams&) { return Faults{}; };
  Faults (*faults_with_slices)(const LlcControlParams& params, int slices) = [](const LlcControlParams&,
                                                                                int) { return Faults{}; };

  static constexpr std::string_view kind = "LLC organization";
  static PolicyTable<OrganizationKind>& table();
};

/// The table. The first one is the default.
inline const PolicyTable<OrganizationKind>& organization_kinds() {
  return OrganizationKind::table();
}

}  // namespace strata
