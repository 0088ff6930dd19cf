#include "models/sm_cluster/sm_tenants.h"

#include <algorithm>

namespace strata {
namespace {

void resume_sm(SmState& sm, Cycle now) {
  sm.stopped = false;
  sm.core.go_on(now);
  if (--sm.tenant->stopped_sms == 0) sm.tenant->attention = never;
}

}  // namespace

bool update_stall(SmState& sm, Cycle now) {
  SmTenant& tenant = *sm.tenant;
  if (now >= tenant.stall.until) {
    if (sm.stopped) resume_sm(sm, now);
    return false;
  }
  if (!sm.stopped) {
    sm.stopped = true;
    ++tenant.stopped_sms;
    sm.core.stop(now);
  }
  return true;
}

void begin_stall(SmTenant& tenant, const std::vector<SmState*>& sms, Cycle from) {
  for (SmState* const sm : sms)  // those whose turn has not come since the last stall ended
    if (sm->tenant == &tenant && sm->stopped && tenant.stall.until < from) resume_sm(*sm, tenant.stall.until);
  // Else the resume is taken back.
  if (tenant.stall.until != from || tenant.stopped_sms == 0) tenant.stall.from = from;
  tenant.stall.until = never;
  tenant.attention = from;
  tenant.quiescing = true;
}

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
