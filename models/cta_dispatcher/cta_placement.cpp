#include "models/cta_dispatcher/cta_placement.h"

namespace strata {

// In the order of CtaPolicy.
PolicyTable<CtaPlacementRow>& CtaPlacementRow::table() {
  static PolicyTable<CtaPlacementRow> rows = {
      {"two_level_rr", "clusters in turn, then the SMs of a cluster in turn", make_two_level_rr},
      {"bcs", "the SM that has got the CTA before it, until it has its block", make_bcs},
      {"dcs", "the SMs in turn of the cluster that has got its range of CTAs", make_dcs},
  };
  return rows;
}

std::unique_ptr<CtaPlacement> make_placement(const CtaDispatcherParams& params, PlacementTurn& turn) {
  return CtaPlacementRow::table().at(params.scheduler).make(params, turn);
}

bool RoundRobin::pick(const PlacementView& view, int need, SmPlace& place) {
  const std::size_t clusters = view.sms.size();
  for (std::size_t i = 0; i < clusters; ++i) {
    const std::size_t cluster = (cluster_ + i) % clusters;
    if (pick_in(view, static_cast<int>(cluster), need, place)) {
      cluster_ = (cluster + 1) % clusters;
      return true;
    }
  }
  return false;
}

bool RoundRobin::pick_in(const PlacementView& view, int cluster, int need, SmPlace& place) {
  sm_.resize(view.sms.size());
  const int sms = view.sms[static_cast<std::size_t>(cluster)];
  int& pointer = sm_[static_cast<std::size_t>(cluster)];
  for (int i = 0; i < sms; ++i) {
    const SmPlace candidate{cluster, (pointer + i) % sms};
    if (view.room(candidate) >= need) {
      place = candidate;
      pointer = (candidate.sm + 1) % sms;
      return true;
    }
  }
  return false;
}

}  // namespace strata
