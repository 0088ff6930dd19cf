#include "models/sm_cluster/sm_applications.h"

#include <algorithm>

namespace strata {
namespace {

void resume_sm(SmState& sm, Cycle now) {
  sm.stopped = false;
  sm.core.go_on(now);
  if (--sm.app->stopped_sms == 0) sm.app->attention = never;
}

}  // namespace

bool update_stall(SmState& sm, Cycle now) {
  SmApplication& app = *sm.app;
  if (now >= app.stall.until) {
    if (sm.stopped) resume_sm(sm, now);
    return false;
  }
  if (!sm.stopped) {
    sm.stopped = true;
    ++app.stopped_sms;
    sm.core.stop(now);
  }
  return true;
}

void begin_stall(SmApplication& app, const std::vector<SmState*>& sms, Cycle from) {
  for (SmState* const sm : sms)  // those whose turn has not come since the last stall ended
    if (sm->app == &app && sm->stopped && app.stall.until < from) resume_sm(*sm, app.stall.until);
  // Else the resume is taken back.
  if (app.stall.until != from || app.stopped_sms == 0) app.stall.from = from;
  app.stall.until = never;
  app.attention = from;
  app.quiescing = true;
}

void SmApplications::assign(const std::vector<int>& application_of_sm) {
  const int most = *std::max_element(application_of_sm.begin(), application_of_sm.end());
  application_of_sm_ = application_of_sm;
  apps_.clear();
  apps_.resize(static_cast<std::size_t>(most) + 1);
  for (int a = 0; a <= most; ++a) of(a).application = a;
}

int SmApplications::flushes_left() const {
  int sum = 0;
  for (const SmApplication& app : apps_) sum += app.flushes_left;
  return sum;
}

template <class Part>
const Part& SmApplications::fold(int application, Part SmApplication::*part, Part& sum) const {
  if (application == all_applications && apps_.size() == 1) return apps_.front().*part;
  if (application != all_applications && static_cast<std::size_t>(application) < apps_.size())
    return of(application).*part;
  sum = {};
  if (application == all_applications)
    for (const SmApplication& app : apps_) sum += app.*part;
  return sum;
}

const SmClusterStats& SmApplications::stats(int application) const {
  return fold(application, &SmApplication::stats, sum_);
}

const LedgerTotals& SmApplications::totals(int application) const {
  return fold(application, &SmApplication::totals, totals_);
}

void SmApplications::reset_stats() {
  for (SmApplication& app : apps_) {
    app.stats.restart();
    app.totals = {};
  }
}

}  // namespace strata
