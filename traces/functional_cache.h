#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata::traces {

/// Tags of a set-associative cache with LRU and hashed sets: what is there, without any time.
class FunctionalCache {
 public:
  struct Entry {
    Address number = free_number;  ///< of the line
    std::uint8_t sectors = 0;      ///< used since it came
    bool used() const { return number != free_number; }
  };

  FunctionalCache(std::uint64_t lines, int ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(std::max<std::uint64_t>(1, lines / static_cast<std::uint64_t>(ways))),
        entries_(sets_ * ways_) {}

  /// True when the line was there; else it is now, and `left` is what went for it (free: nothing did).
  bool load(Address number, std::uint8_t sectors, Entry& left) {
    Entry* const set = set_of(number);
    std::size_t way = 0;
    while (way < ways_ && set[way].number != number) ++way;
    const bool hit = way < ways_;
    Entry entry{number, sectors};
    if (hit) {
      entry.sectors = static_cast<std::uint8_t>(sectors | set[way].sectors);
    } else {
      way = ways_ - 1;
      left = set[way];
    }
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = entry;
    return hit;
  }
  /// Removes a line; free when it was not there.
  Entry drop(Address number) {
    Entry* const set = set_of(number);
    std::size_t way = 0;
    while (way < ways_ && set[way].number != number) ++way;
    if (way == ways_) return {};
    const Entry gone = set[way];
    for (; way + 1 < ways_; ++way) set[way] = set[way + 1];
    set[ways_ - 1] = {};
    return gone;
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  static constexpr Address free_number = ~Address{0};
  Entry* set_of(Address number) {
    const std::uint64_t hash = number * 0x9e3779b97f4a7c15 >> 32;
    return &entries_[static_cast<std::size_t>(hash * sets_ >> 32) * ways_];
  }

  std::size_t ways_;
  std::uint64_t sets_;
  std::vector<Entry> entries_;
};

}  // namespace strata::traces
