#include "models/cta_dispatcher/cta_placement.h"

namespace strata {
namespace {

// CTAs in order; clusters take turns, and within a cluster its SMs.
class CtaPlacementTwoLevelRr final : public CtaPlacement {
 public:
  explicit CtaPlacementTwoLevelRr(PlacementTurn& turn) : turn_(turn.sms) {}
  void begin(std::uint64_t ctas, const std::vector<int>&) override {
    next_ = 0;
    end_ = ctas;
  }
  bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) override {
    if (next_ == end_ || !turn_.pick(view, 1, place)) return false;
    cta = next_++;
    return true;
  }

 private:
  RoundRobin& turn_;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

std::unique_ptr<CtaPlacement> make_two_level_rr(const CtaDispatcherParams&, PlacementTurn& turn) {
  return std::make_unique<CtaPlacementTwoLevelRr>(turn);
}

}  // namespace strata
