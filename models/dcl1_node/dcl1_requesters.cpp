#include "models/dcl1_node/dcl1_requesters.h"

namespace strata {

void DcL1RequesterCounts::count(AccessClass access_class, L1Outcome outcome) {
  ++requests;
  if (outcome == L1Outcome::forward && access_class == AccessClass::store) {
    ++stores;
    return;
  }
  if (outcome == L1Outcome::forward && access_class == AccessClass::atomic) {
    ++atomics;
    return;
  }
  ++accesses;
  if (outcome == L1Outcome::hit) ++hits;
  if (outcome == L1Outcome::miss_merged) ++merges;
  if (outcome == L1Outcome::miss_new) ++misses;
  if (outcome == L1Outcome::forward) ++bypasses;
}

void DcL1RequesterCounts::for_each_stat(StatVisitor& v) const {
  v.counter({"requests", "accesses", "its loads, stores and atomics"}, requests);
  v.counter({"accesses", "accesses", "its loads"}, accesses);
  v.counter({"hits", "accesses", "its loads that found all they asked for"}, hits);
  v.counter({"misses", "accesses", "its loads that made the L1 fetch"}, misses);
  v.counter({"merges", "accesses", "its loads that joined a fetch in flight, of its own or of another SM"},
            merges);
  v.counter({"bypasses", "accesses", "its loads sent past the tags to the LLC"}, bypasses);
  v.counter({"stores", "accesses", "its stores"}, stores);
  v.counter({"atomics", "accesses", "its atomics"}, atomics);
  v.law("requests = accesses + stores + atomics");
  v.law("accesses = hits + misses + merges + bypasses");
}

void DcL1Requesters::count(const Access& access, L1Outcome outcome) {
  by_application_[application_place(access.application)].count(access.access_class, outcome);
  if (access.sm >= by_sm_.size()) by_sm_.resize(access.sm + std::size_t{1});
  by_sm_[access.sm].count(access.access_class, outcome);
}

std::vector<const StatSet*> DcL1Requesters::by_requester() const {
  std::vector<const StatSet*> all;
  for (const DcL1RequesterCounts& counts : by_sm_) all.push_back(&counts);
  return all;
}

}  // namespace strata
