#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <functional>
#include <queue>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Which numbers have a turn in which cycle. Turns of a cycle come once each, in order of their numbers: the
/// order of booking does not matter.
///
/// 64 numbers are a word: a bitmap for each of the next cycles. Those of 32 words for one cycle lie together,
/// a sheet's row: they are looked at one after the other. What lies farther ahead waits in a heap; nothing
/// else allocates.
class TimingWheel {
 public:
  static constexpr std::size_t cycles = 512;
  static constexpr Cycle horizon = cycles - 1;
  static constexpr std::size_t row_words = 32;

  /// Add a word; returns which it is.
  std::size_t add_word() {
    if (words_ % row_words == 0) rows_by_group_.emplace_back(cycles * row_words);
    return words_++;
  }
  std::size_t words() const { return words_; }
  /// Its bitmaps and behind each those of the next words of the sheet: [place_of(cycle)]. Who takes a turn
  /// clears it.
  std::uint64_t* turns(std::size_t word) {
    return rows_by_group_[word / row_words].data() + word % row_words;
  }
  static std::size_t place_of(Cycle cycle) { return cycle % cycles * row_words; }

  /// A turn in `cycle`, first() or later, for a number of a word.
  [[gnu::always_inline]] void book(std::uint64_t* word, std::size_t number, Cycle cycle) {
    if (cycle - first_ >= horizon) return schedule_far(word, number, cycle);
    word[place_of(cycle)] |= std::uint64_t{1} << number % 64;
    busy_[cycle % cycles] = 1;
  }
  /// Cycle `now` has come: its bitmaps are complete, and its turns are taken until end().
  void begin(Cycle now) {
    first_ = now;
    for (; !far_.empty() && far_.top().cycle - now < horizon; far_.pop())
      book(far_.top().word, far_.top().number, far_.top().cycle);
    busy_[now % cycles] = 0;
    first_ = now + 1;
    under_way_ = true;
  }
  void end() { under_way_ = false; }
  /// Turns of a cycle are being taken.
  bool under_way() const { return under_way_; }
  /// The first cycle that has not begun yet.
  Cycle first() const { return first_; }
  /// The first cycle with a turn, or never.
  Cycle next() const {
    if (busy_[first_ % cycles] != 0) return first_;
    const Cycle near = next_near();
    return far_.empty() ? near : std::min(near, far_.top().cycle);
  }

 private:
  struct Far {
    Cycle cycle;
    std::uint64_t* word;
    std::size_t number;
    bool operator>(const Far& other) const { return cycle > other.cycle; }
  };
  // Apart, so that book() stays short enough to be inlined.
  [[gnu::noinline, gnu::cold]] void schedule_far(std::uint64_t* word, std::size_t number, Cycle cycle) {
    far_.push({cycle, word, number});
  }
  Cycle next_near() const {
    const std::size_t from = first_ % cycles;
    const auto find = [&](std::size_t begin, std::size_t end) -> const void* {
      return std::memchr(busy_.data() + begin, 1, end - begin);
    };
    const void* found = find(from, cycles);
    if (found == nullptr) found = find(0, from);
    if (found == nullptr) return never;
    const auto slot = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - busy_.data());
    return first_ + (slot - from) % cycles;
  }

  Cycle first_ = 0;
  bool under_way_ = false;
  std::size_t words_ = 0;
  std::vector<std::vector<std::uint64_t>> rows_by_group_;  // where they lie does not change
  std::priority_queue<Far, std::vector<Far>, std::greater<Far>> far_;
  std::array<std::uint8_t, cycles> busy_{};  // 1: some number has a turn in the cycle of this slot
};

}  // namespace strata
