#include "models/cta_dispatcher/cta_placement.h"

namespace strata {

std::unique_ptr<CtaPlacement> make_placement(const CtaDispatcherParams& params, PlacementTurn& turn) {
  using Maker = std::unique_ptr<CtaPlacement> (*)(const CtaDispatcherParams&, PlacementTurn&);
  static constexpr Maker table[] = {make_two_level_rr, make_bcs, make_dcs};  // in the order of CtaPolicy
  return table[static_cast<int>(params.scheduler)](params, turn);
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
