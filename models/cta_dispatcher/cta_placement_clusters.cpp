#include <algorithm>

#include "models/cta_dispatcher/cta_placement.h"

namespace strata {
namespace {

// Thread block clusters: the CTAs of one start together, spread over the SMs of one cluster of SMs (a GPC),
// as "CUDA C++ Programming Guide", "Thread Block Clusters" promises. Clusters of SMs take turns.
class CtaPlacementClusters final : public CtaPlacement {
 public:
  CtaPlacementClusters(PlacementTurn& turn, const KernelInfo& kernel)
      : turn_(turn.cluster), grid_(kernel.grid), cluster_(kernel.cluster) {}
  void begin(std::uint64_t ctas, const std::vector<int>&) override {
    next_ = 0;
    end_ = ctas / cluster_.count();
    members_.clear();
  }
  bool next(const PlacementView& view, std::uint64_t& cta, SmPlace& place) override {
    if (members_.empty() && !place_next(view)) return false;
    place = members_.back();
    members_.pop_back();
    cta = cta_of(next_ - 1, cluster_.count() - 1 - members_.size());
    return true;
  }
  std::size_t must_follow() const override { return members_.size(); }

 private:
  /// The places of all members of the next cluster, the last one first.
  bool place_next(const PlacementView& view) {
    if (next_ == end_) return false;
    const std::size_t clusters = view.sms.size();
    for (std::size_t i = 0; i < clusters; ++i) {
      const std::size_t at = (turn_ + i) % clusters;
      if (!fill(view, static_cast<int>(at))) continue;
      turn_ = (at + 1) % clusters;
      ++next_;
      return true;
    }
    return false;
  }
  bool fill(const PlacementView& view, int at) {
    std::vector<int> room;
    int all = 0;
    for (int sm = 0; sm < view.sms[static_cast<std::size_t>(at)]; ++sm) {
      room.push_back(view.room({at, sm}));
      all += room.back();
    }
    const auto wanted = static_cast<std::size_t>(cluster_.count());
    if (static_cast<std::size_t>(all) < wanted) return false;
    for (std::size_t sm = 0; members_.size() < wanted; sm = (sm + 1) % room.size()) {
      if (room[sm] == 0) continue;
      --room[sm];
      members_.push_back({at, static_cast<int>(sm)});
    }
    std::reverse(members_.begin(), members_.end());
    return true;
  }
  /// Number `member` of cluster number `cluster`, both counted with x first.
  std::uint64_t cta_of(std::uint64_t cluster, std::uint64_t member) const {
    const std::uint64_t wide = grid_.x / cluster_.x, high = grid_.y / cluster_.y;
    const std::uint64_t x = cluster % wide * cluster_.x + member % cluster_.x;
    const std::uint64_t y = cluster / wide % high * cluster_.y + member / cluster_.x % cluster_.y;
    const std::uint64_t z = cluster / wide / high * cluster_.z + member / cluster_.x / cluster_.y;
    return x + grid_.x * (y + grid_.y * z);
  }

  std::size_t& turn_;
  const Dim3 grid_, cluster_;
  std::uint64_t next_ = 0, end_ = 0;  // clusters
  std::vector<SmPlace> members_;      // of the present one, to be launched
};

}  // namespace

std::unique_ptr<CtaPlacement> make_cluster_placement(PlacementTurn& turn, const KernelInfo& kernel) {
  return std::make_unique<CtaPlacementClusters>(turn, kernel);
}

}  // namespace strata
