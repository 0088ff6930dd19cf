#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/cache/replacement_lru.h"
#include "models/cache/tag_entry.h"

namespace strata {

/// Tags of a set-associative cache. A line stays in its way until it is dropped, so that others can keep what
/// they know of it beside; the replacement chooses which line is evicted for a new one.
class TagArray {
 public:
  static constexpr int absent = -1;

  /// `replacement`: row of the table of policies. `seed`: of this cache, for those that draw.
  TagArray(std::uint64_t sets, int ways, int replacement = 0, std::uint64_t seed = 0);

  std::uint64_t sets() const { return sets_; }
  int ways() const { return ways_; }
  std::uint64_t lines() const { return sets_ * static_cast<std::uint64_t>(ways_); }

  /// The replacement is LRU alone, which does not look at accesses.
  bool is_lru() const { return !has_other_; }

  /// Prefetch the tags of a set.
  void prefetch(std::uint32_t set) const {
    const Block* const blocks = &blocks_[set * stride_];
    for (const Block* block = blocks; block != blocks + stride_; ++block) __builtin_prefetch(block);
  }

  // Inlined wherever they are called: the compiler would weigh that against the size of all that has caches.
  /// The way of a line; changes nothing. Cheaper by `line` where owners and the like are those of it.
  [[gnu::always_inline]] int find(std::uint32_t set, std::uint64_t number) const {
    return search(set, [=](TagEntry entry) { return entry.is(number); });
  }
  [[gnu::always_inline]] int find(std::uint32_t set, TagEntry line) const {
    return search(set, [=](TagEntry entry) { return entry == line; });
  }
  /// An access has found its line in `way`. Here and below, `by` is that access, if any: for the policy.
  [[gnu::always_inline]] TagEntry& hit(std::uint32_t set, int way, const Access* by = nullptr) {
    ReplacementLru::hit_in(order_of(set), way);
    if (has_other_) tell_hit(set, way, by);
    return at(set)[way];
  }
  TagEntry& entry(std::uint32_t set, int way) { return at(set)[way]; }
  const TagEntry& entry(std::uint32_t set, int way) const { return at(set)[way]; }

  /// The way that a new line goes to: an empty one, or the victim.
  int victim(std::uint32_t set) const { return usual_ ? order_of(set)[ways_ - 1] : victim(set, usable_); }
  /// The same among some ways: reserved ones stay.
  int victim(std::uint32_t set, WayMask candidates) const;
  /// Of some ways with lines, the one that would be evicted last.
  int last_victim(std::uint32_t set, WayMask among) const {
    while ((among & (among - 1)) != 0) among &= ~only_way(victim(set, among));
    return __builtin_ctzll(among);
  }
  /// The ways of a set, most recently used first, empty ones last, whatever the replacement.
  const std::uint8_t* order(std::uint32_t set) const { return order_of(set); }
  /// Put a line that is absent where `victim` says; returns what was there.
  TagEntry insert(std::uint32_t set, TagEntry line, const Access* by = nullptr) {
    assert(find(set, line.number()) == absent);
    if (!usual_) return insert_elsewhere(set, line, by);
    return std::exchange(at(set)[ReplacementLru::fill_last_in(order_of(set), ways_)], line);
  }
  /// The same in a way that `victim` has said among some.
  TagEntry replace(std::uint32_t set, int way, TagEntry line, const Access* by = nullptr) {
    assert(find(set, line.number()) == absent);
    if (other_ != nullptr) other_->fill(set, way, ReplacementContext::of(by));
    ReplacementLru::hit_in(lru_.order(set), way);
    return std::exchange(at(set)[way], line);
  }
  void invalidate(std::uint32_t set, int way) {
    at(set)[way] = TagEntry{};
    lru_.invalidate(set, way);
    if (other_ != nullptr) other_->invalidate(set, way);
  }
  void invalidate_all();
  /// New lines go to the first ways only, until the next call. Those behind them must be empty.
  void limit(int ways) {
    usable_ = first_ways(ways);
    usual_ = !has_other_ && ways == ways_;
  }
  WayMask usable() const { return usable_; }
  /// Lines for which `counts` says so.
  template <class Counts>
  std::uint64_t count(Counts counts) const {
    std::uint64_t sum = 0;
    for (std::uint32_t set = 0; set < sets_; ++set)
      for (int way = 0; way < ways_; ++way) sum += at(set)[way].valid() && counts(at(set)[way]) ? 1 : 0;
    return sum;
  }
  std::uint64_t valid_lines() const;
  /// Drop the lines for which `goes` says so; returns how many.
  template <class Goes>
  std::uint64_t drop(Goes goes) {
    std::uint64_t dropped = 0;
    for (std::uint32_t set = 0; set < sets_; ++set)
      for (int way = 0; way < ways_; ++way) {
        if (!at(set)[way].valid() || !goes(at(set)[way])) continue;
        invalidate(set, way);
        ++dropped;
      }
    return dropped;
  }

 private:
  struct alignas(64) Block {
    TagEntry entries[8];
  };
  ReplacementLru make_lru(const ReplacementShape& shape);
  template <class Matches>
  [[gnu::always_inline]] int search(std::uint32_t set, Matches matches) const {
    const TagEntry* entries = at(set);
    const std::uint8_t* const order = order_of(set);
    const int last = order[0];  // most hits are repeats
    if (matches(entries[last])) return last;
    if (ways_ > 8) {  // worth a look where there are many
      const int second = order[1];
      if (matches(entries[second])) return second;
      const int third = order[2];
      if (matches(entries[third])) return third;
    }
    // Blocks are full of entries: those beyond the ways are never valid, but the last may be the order.
    int i = 0;
    do {
      if (matches(entries[i])) return i;
      if (matches(entries[i + 1])) return i + 1;
      if (matches(entries[i + 2])) return i + 2;
      if (matches(entries[i + 3])) return i + 3 < ways_ ? i + 3 : absent;
    } while ((i += 4) < ways_);
    return absent;
  }
  /// Few ways leave room for the order of use in the cache line of the tags: a hit looks at both.
  static constexpr int few_ways = 7;
  [[gnu::always_inline]] std::uint8_t* order_of(std::uint32_t set) const {
    return ways_ <= few_ways ? reinterpret_cast<std::uint8_t*>(at(set) + few_ways) : lru_.order(set);
  }
  [[gnu::cold]] void tell_hit(std::uint32_t set, int way, const Access* by);
  [[gnu::cold]] TagEntry insert_elsewhere(std::uint32_t set, TagEntry line, const Access* by);
  TagEntry* at(std::uint32_t set) const { return blocks_[set * stride_].entries; }

  // What every access asks for comes first: caches are visited cold.
  std::unique_ptr<Block[]> blocks_;
  std::uint32_t stride_;
  std::uint8_t ways_;
  bool usual_;          // the policy is the usual one, and all ways may be used
  bool has_other_;      // another policy
  ReplacementLru lru_;  // where to look first, and the victim unless the policy is another
  WayMask usable_;
  std::uint64_t sets_;
  std::unique_ptr<Replacement> other_;
};

}  // namespace strata
