#pragma once

#include <memory>

#include "models/common/access.h"
#include "models/common/address_map.h"
#include "models/llc_control/llc_control_params.h"

namespace strata {

/// How the slices of an LLC are used: which one serves a request, and what that demands of the slices.
/// Policies that change their mind over time derive from it and answer for the mode in force.
class Organization {
 public:
  virtual ~Organization() = default;
  /// Slice of the whole LLC: channel x slices per channel + slice within the channel.
  virtual int slice_for(Address line, int cluster, AccessClass access_class) = 0;
  /// Whether slices must keep memory up to date, because other slices may hold the same lines.
  virtual bool writes_through() const = 0;
  /// Whether the LLC is flushed with the L1s at the end of a kernel.
  virtual bool flushes_at_kernel_end() const = 0;
};

/// `map` must outlive the organization.
std::unique_ptr<Organization> make_organization(const LlcControlParams& params, const AddressMap& map);

std::unique_ptr<Organization> make_organization_shared(const AddressMap& map);
std::unique_ptr<Organization> make_organization_private(const AddressMap& map);

}  // namespace strata
