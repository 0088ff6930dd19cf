#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Events of the coming cycles: a ring of lists, with a bitmap of the cycles that have any, and a heap for
/// the few that lie beyond it. Within a cycle events come in the order of their booking, those from the heap
/// first.
class EventWheel {
 public:
  /// `horizon`: events up to so far ahead are cheap.
  explicit EventWheel(Cycle horizon) {
    while (slots_ <= horizon) slots_ *= 2;
    ring_.resize(slots_);
    occupied_.resize(slots_ / 64);
  }
  /// Nothing before cycle `now` is left or will be added.
  void reach(Cycle now) { base_ = now; }
  void add(Cycle cycle, std::uint32_t event) {
    if (cycle - base_ < slots_) {
      enter(cycle, event);
      return;
    }
    far_.push_back({cycle, added_++, event});
    std::push_heap(far_.begin(), far_.end(), std::greater<>());
  }
  /// Take the events of `cycle`: call `function` for each.
  template <class Function>
  void take(Cycle cycle, Function function) {
    base_ = cycle;
    while (!far_.empty() && far_.front().cycle - base_ < slots_) {
      enter(far_.front().cycle, far_.front().event);
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
      far_.pop_back();
    }
    const std::size_t slot = cycle & (slots_ - 1);
    if ((occupied_[slot / 64] >> slot % 64 & 1) == 0) return;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
    for (const std::uint32_t event : ring_[slot]) function(event);
    ring_[slot].clear();
  }
  /// First cycle after `now` with events, or never.
  Cycle next(Cycle now) const {
    const Cycle far = far_.empty() ? never : far_.front().cycle;
    const std::size_t start = (now + 1) & (slots_ - 1);
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & ~std::uint64_t{0} << start % 64;
    for (std::size_t n = 0; n <= occupied_.size(); ++n) {
      if (bits != 0) {
        const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        return std::min(far, now + 1 + ((slot - start) & (slots_ - 1)));
      }
      if (++word == occupied_.size()) word = 0;
      bits = occupied_[word];
    }
    return far;
  }
  bool empty() const {
    for (const std::uint64_t word : occupied_)
      if (word != 0) return false;
    return far_.empty();
  }

 private:
  struct Far {
    Cycle cycle;
    std::uint64_t order;
    std::uint32_t event;
    bool operator>(const Far& other) const {
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };

  void enter(Cycle cycle, std::uint32_t event) {
    const std::size_t slot = cycle & (slots_ - 1);
    ring_[slot].push_back(event);
    occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }

  std::size_t slots_ = 64;
  Cycle base_ = 0;  // the ring holds [base_, base_ + slots_)
  std::vector<std::vector<std::uint32_t>> ring_;
  std::vector<std::uint64_t> occupied_;
  std::vector<Far> far_;
  std::uint64_t added_ = 0;
};

}  // namespace strata
