#pragma once

#include "models/cache/replacement.h"

namespace strata {

/// Not recently used, a bit a way: set by a use; the first way without it is the victim. Where there is none
/// the first candidate goes, and the bits of the others fall: a fill knows it by the bit of its way, and the
/// bits of all that its access uses are set.
class ReplacementNru final : public Replacement {
 public:
  explicit ReplacementNru(const ReplacementShape& shape) : used_(shape.sets) {}

  static std::uint64_t bits(int ways) { return static_cast<std::uint64_t>(ways); }

  void hit(std::uint32_t set, int way, const ReplacementContext&) override { used_[set] |= only_way(way); }
  void hits(std::uint32_t set, WayMask ways, const ReplacementContext&) override { used_[set] |= ways; }
  void fill(std::uint32_t set, int way, const ReplacementContext& by) override {
    fills(set, only_way(way), 0, by);
  }
  void fills(std::uint32_t set, WayMask ways, WayMask found, const ReplacementContext&) override {
    if ((used_[set] & ways) != 0) used_[set] = 0;
    used_[set] |= ways | found;
  }
  void invalidate(std::uint32_t set, int way) override { used_[set] &= ~only_way(way); }
  void invalidate_all() override { used_.assign(used_.size(), 0); }
  int victim(std::uint32_t set, WayMask candidates) const override {
    const WayMask unused = candidates & ~used_[set];
    return __builtin_ctzll(unused != 0 ? unused : candidates);
  }

 private:
  std::vector<WayMask> used_;
};

}  // namespace strata
