#pragma once

#include "models/cache/replacement.h"
#include "models/common/random_stream.h"

namespace strata {

/// Not recently used, a bit a way, as tag-split caches have it (ICS 2016, section 3.3): set by a use; when
/// all ways with lines have it after an access, all fall at once. Any way without it may be the victim, and
/// any at all where there is none. What is drawn depends on the set's last fill and on the candidates, so
/// that several victims in a row are independent.
class ReplacementNruRandom final : public Replacement {
 public:
  explicit ReplacementNruRandom(const ReplacementShape& shape) : used_(shape.sets), lines_(shape.sets) {
    RandomStream seeds(shape.seed);
    for (std::uint64_t set = 0; set < shape.sets; ++set) draws_.push_back(seeds.next());
  }

  static std::uint64_t bits(int ways) { return static_cast<std::uint64_t>(ways); }

  void hit(std::uint32_t set, int way, const ReplacementContext& by) override {
    hits(set, only_way(way), by);
  }
  void hits(std::uint32_t set, WayMask ways, const ReplacementContext&) override {
    used_[set] |= ways;
    if (used_[set] == lines_[set]) used_[set] = 0;
  }
  void fill(std::uint32_t set, int way, const ReplacementContext& by) override {
    fills(set, only_way(way), 0, by);
  }
  void fills(std::uint32_t set, WayMask ways, WayMask found, const ReplacementContext& by) override {
    std::uint64_t drawn = draws_[set];
    for (WayMask left = ways; left != 0; left &= left - 1) drawn = RandomStream(drawn).next();
    draws_[set] = drawn;
    lines_[set] |= ways;
    hits(set, ways | found, by);
  }
  void invalidate(std::uint32_t set, int way) override { invalidates(set, only_way(way)); }
  void invalidates(std::uint32_t set, WayMask ways) override {
    lines_[set] &= ~ways;
    used_[set] &= lines_[set];
  }
  void invalidate_all() override {
    used_.assign(used_.size(), 0);
    lines_ = used_;
  }
  int victim(std::uint32_t set, WayMask candidates) const override {
    if (const WayMask unused = candidates & ~used_[set]; unused != 0) candidates = unused;
    RandomStream draw(draws_[set] ^ candidates);
    for (auto passed = draw.below(count_ways(candidates)); passed > 0; --passed) candidates &= candidates - 1;
    return __builtin_ctzll(candidates);
  }

 private:
  std::vector<WayMask> used_, lines_;
  std::vector<std::uint64_t> draws_;
};

}  // namespace strata
