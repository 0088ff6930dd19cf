#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Who has a turn in which of the next `cycles` cycles: a set of small numbers for each cycle, as a bitmap
/// that is walked with count-trailing-zeros. Turns of a cycle come once each and in order of their numbers,
/// in whatever order they were booked; nothing allocates.
template <std::size_t cycles>
class TurnRing {
  static_assert(cycles >= 64 && (cycles & (cycles - 1)) == 0);

 public:
  static constexpr Cycle horizon = cycles - 1;  ///< turns lie so far ahead of the cycle taken last at most

  explicit TurnRing(std::size_t numbers = 0)
      : words_(static_cast<std::uint32_t>((numbers + 63) / 64)), turns_(cycles * words_) {}

  void set(std::size_t number, Cycle cycle) {
    turns_[cycle % cycles * words_ + number / 64] |= std::uint64_t{1} << number % 64;
    busy_[cycle % cycles / 64] |= std::uint64_t{1} << cycle % 64;
  }
  /// A turn in `cycle` at best, after `now`. One that lies beyond the horizon comes there, to be looked at
  /// again. Returns the cycle in which it comes.
  [[gnu::always_inline]] Cycle book(std::size_t number, Cycle cycle, Cycle now) {
    if (cycle - now - 1 >= horizon) cycle = cycle <= now ? now + 1 : now + horizon;
    set(number, cycle);
    return cycle;
  }
  /// The turns of a cycle, as words of 64 numbers; null if there are none. The caller clears them.
  std::uint64_t* take(Cycle cycle) {
    std::uint64_t& busy = busy_[cycle % cycles / 64];
    const std::uint64_t bit = std::uint64_t{1} << cycle % 64;
    if ((busy & bit) == 0) return nullptr;
    busy ^= bit;
    return &turns_[cycle % cycles * words_];
  }
  std::size_t words() const { return words_; }
  /// First cycle after `now` with a turn, or never. Turns of `now` itself, if not taken yet, do not count.
  Cycle next(Cycle now) const {
    const std::size_t start = (now + 1) % cycles;
    if constexpr (cycles == 64) {
      const std::uint64_t later = busy_[0] & ~(std::uint64_t{1} << now % 64);
      const std::uint64_t turned = later >> start | later << (64 - start) % 64;
      return turned == 0 ? never : now + 1 + static_cast<Cycle>(__builtin_ctzll(turned));
    }
    std::size_t word = start / 64;
    std::uint64_t bits = busy_[word] & ~std::uint64_t{0} << start % 64;
    for (std::size_t n = 0; bits == 0; ++n) {  // comes back to the first word, whose lower bits are left then
      if (n == busy_.size()) return never;
      word = (word + 1) % busy_.size();
      bits = busy_[word];
    }
    const Cycle ahead = (word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)) - start) % cycles;
    return ahead == cycles - 1 ? never : now + 1 + ahead;
  }
  bool empty() const {
    return std::all_of(busy_.begin(), busy_.end(), [](std::uint64_t word) { return word == 0; });
  }

 private:
  std::array<std::uint64_t, cycles / 64> busy_{};  // cycles with turns
  std::uint32_t words_;
  std::vector<std::uint64_t> turns_;
};

}  // namespace strata
