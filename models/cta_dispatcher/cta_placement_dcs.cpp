#include <algorithm>

#include "models/cta_dispatcher/cta_placement.h"

namespace strata {
namespace {

// Distributed CTA scheduling (Arunkumar et al., "MCM-GPU", ISCA 2017, section 5.2): cluster c of C gets the
// CTAs [c * n / C, (c + 1) * n / C); clusters take turns, and the SMs within a cluster. A cluster that has
// started its whole range takes none of another's; one whose SMs can hold no CTA of the kernel is no part of
// C.
class CtaPlacementDcs final : public CtaPlacement {
 public:
  explicit CtaPlacementDcs(PlacementTurn& turn) : turn_(turn) {}
  void begin(std::uint64_t ctas, const std::vector<int>& per_sm) override {
    ranges_.assign(per_sm.size(), {0, 0});
    const auto able = static_cast<std::uint64_t>(
        std::count_if(per_sm.begin(), per_sm.end(), [](int some) { return some > 0; }));
    std::uint64_t place = 0, first = 0;
    for (std::size_t c = 0; c < per_sm.size(); ++c) {
      if (per_sm[c] <= 0) continue;
      const auto end = static_cast<std::uint64_t>(static_cast<unsigned __int128>(ctas) * ++place / able);
      ranges_[c] = {first, end};
      first = end;
    }
  }
  bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) override {
    const std::size_t clusters = ranges_.size();
    for (std::size_t i = 0; i < clusters; ++i) {
      const std::size_t cluster = (turn_.cluster + i) % clusters;
      Range& range = ranges_[cluster];
      if (range.next == range.end || !turn_.sms.pick_in(view, static_cast<int>(cluster), 1, place)) continue;
      cta = range.next++;
      turn_.cluster = (cluster + 1) % clusters;
      return true;
    }
    return false;
  }

 private:
  struct Range {
    std::uint64_t next, end;
  };

  PlacementTurn& turn_;
  std::vector<Range> ranges_;  // of each cluster
};

}  // namespace

std::unique_ptr<CtaPlacement> make_dcs(const CtaDispatcherParams&, PlacementTurn& turn) {
  return std::make_unique<CtaPlacementDcs>(turn);
}

}  // namespace strata
