#pragma once

#include <deque>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/sm_cluster/make_line_access.h"
#include "models/sm_cluster/sm_cluster_stats.h"

namespace strata {

/// What an SM cluster keeps of an application that runs on some of its SMs.
struct SmTenant {
  SmClusterStats stats;
  LedgerTotals totals;
  int application = 0;
  Cycle flush_from = never;    // its lines have to be flushed
  int flushes_left = 0;        // not answered yet
  Cycle flushed_from = never;  // the dispatcher will be told in this cycle
  Cycle attention = never;     // from here on visits must update_stall()
  StallSpan stall;             // the present stall, or the last one
  int stopped_sms = 0;
  bool quiescing = false;      // the dispatcher waits for quiesced()
  Cycle drained_from = never;  // lt: the dispatcher will be told in this cycle
};

/// Stalls, for the SMs of either shell: they have a `core`, a `tenant` and `stopped`.
template <class Sm>
void resume_sm(Sm& sm, Cycle now) {
  sm.stopped = false;
  sm.core.go_on(now);
  if (--sm.tenant->stopped_sms == 0) sm.tenant->attention = never;
}

/// An SM of a stalled tenant is visited in cycle `now`: stop it, or let it resume when the stall is over.
/// True while it is stalled.
template <class Sm>
bool update_stall(Sm& sm, Cycle now) {
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

/// A stall of the tenant from `from` on, the next cycle.
template <class Sms>
void begin_stall(SmTenant& tenant, Sms& sms, Cycle from) {
  for (auto& sm : sms)  // those whose turn has not come since the last stall ended
    if (sm.tenant == &tenant && sm.stopped && tenant.stall.until < from) resume_sm(sm, tenant.stall.until);
  // Else the resume is taken back.
  if (tenant.stall.until != from || tenant.stopped_sms == 0) tenant.stall.from = from;
  tenant.stall.until = never;
  tenant.attention = from;
  tenant.quiescing = true;
}

/// The applications of a cluster: one that has all SMs, unless the dispatcher shares them out.
class SmTenants {
 public:
  explicit SmTenants(int sms) : application_of_sm_(static_cast<std::size_t>(sms)), tenants_(1) {}

  void assign(const std::vector<int>& application_of_sm);
  SmTenant& of(int application) { return tenants_[static_cast<std::size_t>(application)]; }
  const SmTenant& of(int application) const { return tenants_[static_cast<std::size_t>(application)]; }
  int application_of(int sm) const { return application_of_sm_[static_cast<std::size_t>(sm)]; }
  int flushes_left() const;
  auto begin() { return tenants_.begin(); }
  auto end() { return tenants_.end(); }

  /// Of one application, zeros when it has no SM, or of all together.
  const SmClusterStats& stats(int application) const;
  const LedgerTotals& totals(int application) const;
  void reset_stats();

 private:
  std::vector<int> application_of_sm_;
  std::deque<SmTenant> tenants_;
  template <class Part>
  const Part& fold(int application, Part SmTenant::*part, Part& sum) const;

  mutable SmClusterStats sum_;  // of several, or of none
  mutable LedgerTotals totals_;
};

}  // namespace strata
