#include "models/llc_control/llc_applications.h"

#include <algorithm>

namespace strata {

LlcApplications::LlcApplications(const LlcControlParams& params, const AddressMap& map, int count)
    : apps_(static_cast<std::size_t>(count)) {
  for (int a = 0; a < count; ++a) {
    LlcApplication& app = apps_[static_cast<std::size_t>(a)];
    const LlcControlParams own = params.of_application(a, count);
    app.index = a;
    app.applications = only_application(a);
    app.organization = make_organization(own, map);
    app.changes_mode = own.changes_mode();
    app.replicates = own.replicates();
    app.wanted = app.organization->mode();
  }
  apps_.front().applications |= every_application << count;
  for (std::size_t a = 0; a < place_.size(); ++a) {
    place_[a] = a < apps_.size() ? a : 0;
    organizations_[a] = apps_[place_[a]].organization.get();
  }
}

bool LlcApplications::all_private(const LlcApplication* but) const {
  return std::all_of(apps_.begin(), apps_.end(), [but](const LlcApplication& app) {
    return &app == but || app.organization->mode() == LlcMode::private_;
  });
}

bool LlcApplications::watch() const {
  return std::any_of(apps_.begin(), apps_.end(),
                     [](const LlcApplication& app) { return app.organization->watches(); });
}

}  // namespace strata
