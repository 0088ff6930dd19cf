#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace strata {

/// One cached line: its number (address / line size) exactly, whose it is, and whether memory is older.
/// Addresses of real traces have 47 bits, so that a line number needs 40: tag and state share a 64-bit word.
class TagEntry {
 public:
  constexpr TagEntry() = default;
  TagEntry(std::uint64_t number, std::uint8_t owner, bool dirty)
      : word_(number << 16 | std::uint64_t{owner} << 8 | (dirty ? dirty_bit : 0)) {
    assert(number < invalid_number);
  }
  bool valid() const { return word_ != invalid_word; }
  bool is(std::uint64_t number) const { return word_ >> 16 == number; }
  std::uint64_t number() const { return word_ >> 16; }
  std::uint8_t owner() const { return static_cast<std::uint8_t>(word_ >> 8); }
  bool dirty() const { return valid() && (word_ & dirty_bit) != 0; }
  void set_dirty(bool dirty) { word_ = dirty ? word_ | dirty_bit : word_ & ~dirty_bit; }
  /// A read-only load has brought or read the line.
  bool read_only() const { return valid() && (word_ & read_only_bit) != 0; }
  void set_read_only(bool on) { word_ = on ? word_ | read_only_bit : word_ & ~read_only_bit; }
  void set_owner(std::uint8_t owner) { word_ = (word_ & ~std::uint64_t{0xff00}) | std::uint64_t{owner} << 8; }
  friend bool operator==(TagEntry a, TagEntry b) { return a.word_ == b.word_; }

 private:
  static constexpr std::uint64_t dirty_bit = 1;
  static constexpr std::uint64_t read_only_bit = 2;
  static constexpr std::uint64_t invalid_word = ~std::uint64_t{0};
  static constexpr std::uint64_t invalid_number = invalid_word >> 16;
  std::uint64_t word_ = invalid_word;
};

/// Set-associative tags with exact LRU: a set is kept in order of use, most recent first, valid entries
/// before invalid ones, so that the usual hit looks at one entry. The position of a hit is its LRU-stack
/// distance.
class TagArray {
 public:
  static constexpr int absent = -1;

  TagArray(std::uint64_t sets, int ways)
      : ways_(ways), stride_(static_cast<std::size_t>(ways + 7) / 8), sets_(sets), blocks_(sets * stride_) {
    assert(sets > 0 && ways > 0 && ways <= 64);
  }

  std::uint64_t sets() const { return sets_; }
  int ways() const { return ways_; }
  std::uint64_t lines() const { return sets_ * static_cast<std::uint64_t>(ways_); }

  /// Ask for the tags of a set ahead of their use.
  void prefetch(std::uint32_t set) const {
    for (std::size_t i = 0; i < stride_; ++i) __builtin_prefetch(&blocks_[set * stride_ + i]);
  }

  /// LRU-stack position of a line, 0 = most recently used; changes nothing.
  int find(std::uint32_t set, std::uint64_t number) const {
    return search(set, [=](TagEntry entry) { return entry.is(number); });
  }
  /// The same where owners and the like are those of `line`: cheaper.
  int find(std::uint32_t set, TagEntry line) const {
    return search(set, [=](TagEntry entry) { return entry == line; });
  }
  /// Make the line at `position` the most recently used one and return it.
  TagEntry& promote(std::uint32_t set, int position) {
    TagEntry* entries = at(set);
    if (position == 0) return entries[0];
    if (position <
        4) {  // most hits are near the front, where a call of memmove would cost more than the move
      TagEntry carried = entries[position];
      for (int i = 0; i <= position; ++i) std::swap(carried, entries[i]);
    } else {
      const TagEntry hit = entries[position];
      for (int i = position; i > 0; --i) entries[i] = entries[i - 1];
      entries[0] = hit;
    }
    return entries[0];
  }
  TagEntry& entry(std::uint32_t set, int position) { return at(set)[position]; }
  const TagEntry& entry(std::uint32_t set, int position) const { return at(set)[position]; }

  /// What `insert` would evict: invalid when the set has room.
  TagEntry victim(std::uint32_t set) const { return at(set)[ways_ - 1]; }
  /// Put a line that is absent in front; returns what fell out at the end.
  TagEntry insert(std::uint32_t set, TagEntry line) {
    assert(find(set, line.number()) == absent);
    TagEntry* entries = at(set);
    TagEntry carried = line;
    for (int i = 0; i < ways_ && carried.valid(); ++i) std::swap(carried, entries[i]);
    return carried;
  }
  /// Drop the line at `position`; the order of the others stays.
  void invalidate(std::uint32_t set, int position) {
    TagEntry* entries = at(set);
    for (int i = position; i + 1 < ways_; ++i) entries[i] = entries[i + 1];
    entries[ways_ - 1] = TagEntry{};
  }
  void invalidate_all() { blocks_.assign(blocks_.size(), Block{}); }

 private:
  struct alignas(64) Block {
    TagEntry entries[8];
  };
  template <class Matches>
  int search(std::uint32_t set, Matches matches) const {
    // Blocks are full of entries: those beyond the ways are never valid and end no search.
    const TagEntry* entries = at(set);
    int i = 0;
    do {
      if (matches(entries[i])) return i;
      if (matches(entries[i + 1])) return i + 1;
      if (matches(entries[i + 2])) return i + 2;
      if (matches(entries[i + 3])) return i + 3;
    } while ((i += 4) < ways_);
    return absent;
  }
  TagEntry* at(std::uint32_t set) { return blocks_[set * stride_].entries; }
  const TagEntry* at(std::uint32_t set) const { return blocks_[set * stride_].entries; }

  int ways_;
  std::size_t stride_;
  std::uint64_t sets_;
  std::vector<Block> blocks_;
};

}  // namespace strata
