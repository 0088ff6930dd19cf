#pragma once

#include <array>
#include <vector>

#include "models/cta_dispatcher/kernel_boundary_if.h"
#include "models/llc_control/organization.h"

namespace strata {

/// An application in the LLC: its organization, and what it waits for.
struct LlcApplication {
  int index = 0;
  ApplicationSet applications = 0;  ///< whose lines and accesses are its own
  std::unique_ptr<Organization> organization;
  bool changes_mode = false;
  bool replicates = false;
  LlcMode wanted = LlcMode::shared;  ///< by the policy
  bool pinned = false;               ///< the present kernel has atomics
  KernelBoundaryDoneIf* boundary_done = nullptr;
  bool boundary_waits = false;  ///< for the end of other work
  LlcApplicationStats stats;
};

/// The applications in an LLC. The first one answers for what is of no program of the dispatcher, too: for
/// all of it where there is only one.
class LlcApplications {
 public:
  LlcApplications(const LlcControlParams& params, const AddressMap& map, int count);

  int size() const { return static_cast<int>(apps_.size()); }
  auto begin() { return apps_.begin(); }
  auto end() { return apps_.end(); }
  auto begin() const { return apps_.begin(); }
  auto end() const { return apps_.end(); }
  LlcApplication& of(std::uint32_t application) { return apps_[place_[application_place(application)]]; }
  const LlcApplication& of(std::uint32_t application) const {
    return apps_[place_[application_place(application)]];
  }
  Organization& organization_of(const Access& access) const {
    return *organizations_[application_place(access.application)];
  }
  /// The LLC is private for all, or for all but one.
  bool all_private(const LlcApplication* but = nullptr) const;
  /// Requests are of interest to a policy.
  bool watch() const;

 private:
  std::vector<LlcApplication> apps_;
  std::array<std::size_t, max_applications> place_{};
  std::array<Organization*, max_applications> organizations_{};
};

}  // namespace strata
