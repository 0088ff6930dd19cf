#include "models/cache/replacement.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>

#include "models/cache/replacement_lru.h"
#include "models/common/random_stream.h"

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

/// Any way may be the victim. Each fill of a set draws the number that its next victim follows from.
class ReplacementRandom final : public Replacement {
 public:
  explicit ReplacementRandom(const ReplacementShape& shape) {
    RandomStream seeds(shape.seed);
    for (std::uint64_t set = 0; set < shape.sets; ++set) draws_.emplace_back(seeds.next());
  }

  static std::uint64_t bits(int) { return 0; }  // a generator for all sets

  void hit(std::uint32_t, int, const ReplacementContext&) override {}
  void fill(std::uint32_t set, int, const ReplacementContext&) override { draws_[set].skip(); }
  int victim(std::uint32_t set, WayMask candidates) const override {
    RandomStream draw = draws_[set];
    for (auto passed = draw.below(static_cast<std::uint64_t>(__builtin_popcountll(candidates))); passed > 0;
         --passed)
      candidates &= candidates - 1;
    return __builtin_ctzll(candidates);
  }

 private:
  std::vector<RandomStream> draws_;
};

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

namespace {

template <class Policy>
ReplacementPolicy row(std::string_view name, std::string_view sentence) {
  const auto make = [](const ReplacementShape& shape) -> std::unique_ptr<Replacement> {
    return std::make_unique<Policy>(shape);
  };
  return {name, sentence, make, Policy::bits};
}

}  // namespace

PolicyTable<ReplacementPolicy>& ReplacementPolicy::table() {
  static PolicyTable<ReplacementPolicy> rows = {
      row<ReplacementLru>("lru", "the one used longest ago"),
      row<ReplacementNru>("nru", "the first not used since all others were"),
      row<ReplacementNruRandom>("nru_random",
                                "any of those not used since all others were, drawn from the run's seed"),
      row<ReplacementSrrip>("srrip",
                            "the first that is least expected back, as only hits make lines expected"),
      row<ReplacementRandom>("random", "any, drawn from the run's seed"),
  };
  return rows;
}

int replacement_row(std::string_view name) {
  const int row = replacement_policies().find(name);
  assert(row >= 0);
  return row;
}

void replacement_param(ParamVisitor& visitor, int& row) {
  const std::string sentence = "line of a full set that is evicted: " + replacement_policies().sentences();
  replacement_policies().param(visitor, {"replacement", "", sentence}, row);
}

}  // namespace strata
