#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Events of the coming cycles: a ring of lists, with a bitmap of the cycles that have any. Within a cycle
/// events come in the order of their booking.
class EventWheel {
 public:
  /// `horizon`: no event lies farther ahead.
  explicit EventWheel(Cycle horizon) {
    while (slots_ <= horizon) slots_ *= 2;
    ring_.resize(slots_);
    occupied_.resize(slots_ / 64);
  }
  void add(Cycle cycle, std::uint32_t event) {
    const std::size_t slot = cycle & (slots_ - 1);
    ring_[slot].push_back(event);
    occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }
  /// Take the events of `cycle`: call `function` for each.
  template <class Function>
  void take(Cycle cycle, Function function) {
    const std::size_t slot = cycle & (slots_ - 1);
    if ((occupied_[slot / 64] >> slot % 64 & 1) == 0) return;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
    for (const std::uint32_t event : ring_[slot]) function(event);
    ring_[slot].clear();
  }
  /// First cycle after `now` with events, or never.
  Cycle next(Cycle now) const {
    const std::size_t start = (now + 1) & (slots_ - 1);
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & ~std::uint64_t{0} << start % 64;
    for (std::size_t n = 0; n <= occupied_.size(); ++n) {
      if (bits != 0) {
        const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        return now + 1 + ((slot - start) & (slots_ - 1));
      }
      if (++word == occupied_.size()) word = 0;
      bits = occupied_[word];
    }
    return never;
  }
  bool empty() const {
    for (const std::uint64_t word : occupied_)
      if (word != 0) return false;
    return true;
  }

 private:
  std::size_t slots_ = 64;
  std::vector<std::vector<std::uint32_t>> ring_;
  std::vector<std::uint64_t> occupied_;
};

}  // namespace strata
