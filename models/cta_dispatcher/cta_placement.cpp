#include "models/cta_dispatcher/cta_placement.h"

#include <algorithm>

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

// In the order of CtaPolicy.
PolicyTable<CtaPlacementRow>& CtaPlacementRow::table() {
  using Made = std::unique_ptr<CtaPlacement>;
  using Params = CtaDispatcherParams;
  static PolicyTable<CtaPlacementRow> rows = {
      {"two_level_rr", "clusters in turn, then the SMs of a cluster in turn",
       [](const Params&, PlacementTurn& turn) -> Made {
         return std::make_unique<CtaPlacementTwoLevelRr>(turn);
       }},
      {"bcs", "the SM that has got the CTA before it, until it has its block",
       [](const Params& params, PlacementTurn& turn) -> Made {
         return std::make_unique<CtaPlacementBcs>(params.bcs_block, turn);
       }},
      {"dcs", "the SMs in turn of the cluster that has got its range of CTAs",
       [](const Params&, PlacementTurn& turn) -> Made { return std::make_unique<CtaPlacementDcs>(turn); }},
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
