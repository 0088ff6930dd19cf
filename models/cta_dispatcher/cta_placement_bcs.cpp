#include <algorithm>

#include "models/cta_dispatcher/cta_placement.h"

namespace strata {
namespace {

// Block CTA scheduling (Lee et al., "Improving GPGPU Resource Utilization Through Alternative Thread Block
// Scheduling", HPCA 2014): a block of adjacent CTAs goes to one SM, which must have room for all of it; a
// block larger than what an SM can hold is cut to that. SMs take turns as in two-level round robin. Where
// another kernel takes the room in between, the rest of a block waits for its SM.
class CtaPlacementBcs final : public CtaPlacement {
 public:
  CtaPlacementBcs(int block, PlacementTurn& turn) : most_(block), turn_(turn.sms) {}
  void begin(std::uint64_t ctas, const std::vector<int>& per_sm) override {
    next_ = 0;
    end_ = ctas;
    left_ = 0;
    block_ = std::min(most_, *std::max_element(per_sm.begin(), per_sm.end()));
  }
  bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) override {
    if (next_ == end_) return false;
    if (left_ == 0) {
      const auto size =
          static_cast<int>(std::min<std::uint64_t>(end_ - next_, static_cast<unsigned>(block_)));
      if (!turn_.pick(view, size, place_)) return false;
      left_ = size;
    } else if (view.room(place_) == 0) {
      return false;
    }
    --left_;
    place = place_;
    cta = next_++;
    return true;
  }

 private:
  const int most_;
  RoundRobin& turn_;
  SmPlace place_;
  int block_ = 1;
  int left_ = 0;  // CTAs of the present block still to go to place_
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

std::unique_ptr<CtaPlacement> make_bcs(const CtaDispatcherParams& params, PlacementTurn& turn) {
  return std::make_unique<CtaPlacementBcs>(params.bcs_block, turn);
}

}  // namespace strata
