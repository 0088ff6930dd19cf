#pragma once

#include <algorithm>
#include <cstddef>

#include "models/cache/replacement.h"

namespace strata {

/// Static re-reference interval prediction with hit priority (Jaleel et al., ISCA 2010, section 4.1), two
/// bits a way: 0 after a hit, 2 after a fill; the first way at 3 is the victim. Where there is none all of
/// the set age until there is one. Here they age when the victim's way is filled, so that asking changes
/// nothing.
class ReplacementSrrip final : public Replacement {
 public:
  explicit ReplacementSrrip(const ReplacementShape& shape)
      : ways_(static_cast<std::size_t>(shape.ways)), interval_(shape.sets * ways_, distant) {}

  static std::uint64_t bits(int ways) { return 2 * static_cast<std::uint64_t>(ways); }

  void hit(std::uint32_t set, int way, const ReplacementContext&) override { at(set, way) = 0; }
  void fill(std::uint32_t set, int way, const ReplacementContext& by) override {
    fills(set, only_way(way), 0, by);
  }
  void fills(std::uint32_t set, WayMask ways, WayMask found, const ReplacementContext& by) override {
    int age = 0;  // until the last of several victims is at 3
    for (WayMask left = ways; left != 0; left &= left - 1)
      age = std::max(age, distant - at(set, __builtin_ctzll(left)));
    for (std::size_t i = set * ways_; i < (set + 1) * ways_; ++i)
      interval_[i] = static_cast<std::uint8_t>(std::min(interval_[i] + age, distant));
    for (; ways != 0; ways &= ways - 1) at(set, __builtin_ctzll(ways)) = distant - 1;
    hits(set, found, by);
  }
  void invalidate(std::uint32_t set, int way) override { at(set, way) = distant; }
  void invalidate_all() override { interval_.assign(interval_.size(), distant); }
  int victim(std::uint32_t set, WayMask candidates) const override {
    const std::uint8_t* const intervals = &interval_[set * ways_];
    int found = __builtin_ctzll(candidates);
    for (WayMask rest = candidates; rest != 0; rest &= rest - 1)
      if (intervals[__builtin_ctzll(rest)] > intervals[found]) found = __builtin_ctzll(rest);
    return found;
  }

 private:
  static constexpr int distant = 3;
  std::uint8_t& at(std::uint32_t set, int way) {
    return interval_[set * ways_ + static_cast<std::size_t>(way)];
  }

  std::size_t ways_;
  std::vector<std::uint8_t> interval_;
};

}  // namespace strata
