#include "models/cta_dispatcher/cta_placement.h"

namespace strata {
namespace {

// Distributed CTA scheduling (Arunkumar et al., "MCM-GPU", ISCA 2017, section 5.2): cluster c of C gets the
// CTAs [c * n / C, (c + 1) * n / C); clusters take turns, and the SMs within a cluster. A cluster that has
// started its whole range takes none of another's.
class CtaPlacementDcs final : public CtaPlacement {
 public:
  void begin(std::uint64_t ctas, int) override {
    ctas_ = ctas;
    next_.clear();
  }
  bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) override {
    const std::size_t clusters = view.sms.size();
    if (next_.empty())
      for (std::size_t c = 0; c < clusters; ++c) next_.push_back(first(c, clusters));
    for (std::size_t i = 0; i < clusters; ++i) {
      const std::size_t cluster = (cluster_ + i) % clusters;
      if (next_[cluster] == first(cluster + 1, clusters)) continue;
      if (!turn_.pick_in(view, static_cast<int>(cluster), 1, place)) continue;
      cta = next_[cluster]++;
      cluster_ = (cluster + 1) % clusters;
      return true;
    }
    return false;
  }

 private:
  std::uint64_t first(std::size_t cluster, std::size_t clusters) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(ctas_) * cluster / clusters);
  }

  RoundRobin turn_;
  std::size_t cluster_ = 0;
  std::uint64_t ctas_ = 0;
  std::vector<std::uint64_t> next_;  // of each cluster's range
};

}  // namespace

std::unique_ptr<CtaPlacement> make_dcs(const CtaDispatcherParams&) {
  return std::make_unique<CtaPlacementDcs>();
}

}  // namespace strata
