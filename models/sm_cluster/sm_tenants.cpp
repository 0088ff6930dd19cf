#include "models/sm_cluster/sm_tenants.h"

#include <algorithm>

namespace strata {

void SmTenants::assign(const std::vector<int>& application_of_sm) {
  const int most = *std::max_element(application_of_sm.begin(), application_of_sm.end());
  application_of_sm_ = application_of_sm;
  tenants_.clear();
  tenants_.resize(static_cast<std::size_t>(most) + 1);
  for (int a = 0; a <= most; ++a) of(a).application = a;
}

int SmTenants::flushes_left() const {
  int sum = 0;
  for (const SmTenant& tenant : tenants_) sum += tenant.flushes_left;
  return sum;
}

template <class Part>
const Part& SmTenants::fold(int application, Part SmTenant::*part, Part& sum) const {
  if (application == all_applications && tenants_.size() == 1) return tenants_.front().*part;
  if (application != all_applications && static_cast<std::size_t>(application) < tenants_.size())
    return of(application).*part;
  sum = {};
  if (application == all_applications)
    for (const SmTenant& tenant : tenants_) sum += tenant.*part;
  return sum;
}

const SmClusterStats& SmTenants::stats(int application) const {
  return fold(application, &SmTenant::stats, sum_);
}

const LedgerTotals& SmTenants::totals(int application) const {
  return fold(application, &SmTenant::totals, totals_);
}

void SmTenants::reset_stats() {
  for (SmTenant& tenant : tenants_) {
    tenant.stats.restart();
    tenant.totals = {};
  }
}

}  // namespace strata
