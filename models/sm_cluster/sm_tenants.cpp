#include "models/sm_cluster/sm_tenants.h"

#include <algorithm>

namespace strata {

void SmTenants::assign(const std::vector<int>& application_of_sm) {
  const int most = *std::max_element(application_of_sm.begin(), application_of_sm.end());
  tenants_.clear();
  tenants_.resize(static_cast<std::size_t>(most) + 1);
  for (int a = 0; a <= most; ++a) of(a).application = a;
  for (const int application : application_of_sm) ++of(application).sms;
}

int SmTenants::flushes_left() const {
  int sum = 0;
  for (const SmTenant& tenant : tenants_) sum += tenant.flushes_left;
  return sum;
}

const SmClusterStats& SmTenants::stats() const {
  if (tenants_.size() == 1) return tenants_.front().stats;
  sum_ = {};
  for (const SmTenant& tenant : tenants_) sum_ += tenant.stats;
  return sum_;
}

const LedgerTotals& SmTenants::totals() const {
  if (tenants_.size() == 1) return tenants_.front().totals;
  totals_ = {};
  for (const SmTenant& tenant : tenants_) totals_ += tenant.totals;
  return totals_;
}

void SmTenants::reset_stats() {
  for (SmTenant& tenant : tenants_) {
    tenant.stats.restart();
    tenant.totals = {};
  }
}

}  // namespace strata
