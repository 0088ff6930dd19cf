#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/cycle_ring.h"

namespace strata {

/// Events of the coming cycles: a ring of lists, and a heap for the few that lie beyond it. Within a cycle
/// events come in the order of their booking, those from the heap first.
class EventWheel {
 public:
  /// Nothing before cycle `now` is left or will be added.
  void reach(Cycle now) { base_ = now; }
  void add(Cycle cycle, std::uint32_t event) {
    if (cycle - base_ < horizon) return enter(cycle, event);
    far_.push_back({cycle, added_++, event});
    std::push_heap(far_.begin(), far_.end(), std::greater<>());
  }
  /// Take the events of `cycle`: call `function` for each.
  template <class Function>
  void take(Cycle cycle, Function function) {
    base_ = cycle;
    while (!far_.empty() && far_.front().cycle - base_ < horizon) {
      enter(far_.front().cycle, far_.front().event);
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
      far_.pop_back();
    }
    if (!busy_.take(cycle)) return;
    std::vector<std::uint32_t>& events = ring_[cycle % ring_.size()];
    for (const std::uint32_t event : events) function(event);
    events.clear();
  }
  /// First cycle after `now` with events, or never.
  Cycle next(Cycle now) const {
    return far_.empty() ? busy_.next(now) : std::min(busy_.next(now), far_.front().cycle);
  }
  bool empty() const { return busy_.empty() && far_.empty(); }

 private:
  static constexpr std::size_t cycles =
      512;  // nearly all events lie so near: the longest packet has 256 flits
  static constexpr Cycle horizon = cycles - 1;

  struct Far {
    Cycle cycle;
    std::uint64_t order;
    std::uint32_t event;
    bool operator>(const Far& other) const {
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };

  void enter(Cycle cycle, std::uint32_t event) {
    ring_[cycle % ring_.size()].push_back(event);
    busy_.mark(cycle);
  }

  Cycle base_ = 0;  // the ring begins here
  std::array<std::vector<std::uint32_t>, cycles> ring_;
  CycleRing<cycles> busy_;
  std::vector<Far> far_;
  std::uint64_t added_ = 0;
};

}  // namespace strata
