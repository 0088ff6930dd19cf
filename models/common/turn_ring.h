#pragma once

#include <algorithm>
#include <vector>

#include "models/common/cycle_ring.h"

namespace strata {

/// Who has a turn in which of the next `cycles` cycles: a set of small numbers for each cycle, as a bitmap
/// that is walked with count-trailing-zeros. Turns of a cycle come once each and in order of their numbers,
/// whoever booked them first; nothing allocates.
template <std::size_t cycles>
class TurnRing {
 public:
  static constexpr Cycle horizon = cycles - 1;  ///< turns lie so far ahead of the cycle taken last at most

  explicit TurnRing(std::size_t numbers = 0)
      : words_(static_cast<std::uint32_t>((numbers + 63) / 64)), turns_(cycles * words_) {}

  void set(std::size_t number, Cycle cycle) {
    turns_[cycle % cycles * words_ + number / 64] |= std::uint64_t{1} << number % 64;
    busy_.mark(cycle);
  }
  /// A turn in `cycle` at best, after `now`. One that lies beyond the horizon comes there, to be looked at
  /// again. Returns the cycle in which it comes.
  [[gnu::always_inline]] Cycle book(std::size_t number, Cycle cycle, Cycle now) {
    if (cycle - now - 1 >= horizon) cycle = cycle <= now ? now + 1 : now + horizon;
    set(number, cycle);
    return cycle;
  }
  /// The turns of a cycle, as words of 64 numbers; null if there are none. The caller clears them.
  std::uint64_t* take(Cycle cycle) { return busy_.take(cycle) ? &turns_[cycle % cycles * words_] : nullptr; }
  std::size_t words() const { return words_; }
  /// First cycle after `now` with a turn, or never.
  Cycle next(Cycle now) const { return busy_.next(now); }
  bool empty() const { return busy_.empty(); }

  /// For more numbers than before; turns stay.
  void widen(std::size_t numbers) {
    if ((numbers + 63) / 64 == words_) return;
    TurnRing wider(numbers);
    for (std::size_t slot = 0; slot < cycles; ++slot)
      std::copy_n(&turns_[slot * words_], words_, &wider.turns_[slot * wider.words_]);
    words_ = wider.words_;
    turns_.swap(wider.turns_);
  }

 private:
  CycleRing<cycles> busy_;
  std::uint32_t words_;
  std::vector<std::uint64_t> turns_;
};

}  // namespace strata
