#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// From when on the instructions of the warps can issue that wait for results of fixed latency. Instructions
/// are named by how many their warp has left with them. What was entered for one that has issued lies in the
/// past, where it does no harm: nothing need be cleared.
class ResultTimes {
 public:
  explicit ResultTimes(std::size_t warps) : near_(warps * reach) {}

  /// Instruction `left` of a warp, `distance` further on, can issue from cycle `ready` on.
  [[gnu::always_inline]] void set(int warp, std::uint32_t left, std::uint32_t distance, Cycle ready,
                                  Cycle now) {
    if (distance >= reach) return set_far(warp, left, ready, now);
    Cycle& time = near_[place(warp, left)];
    if (time < ready) time = ready;
  }
  [[gnu::always_inline]] Cycle ready(int warp, std::uint32_t left) const {
    const Cycle near = near_[place(warp, left)];
    return far_.empty() ? near : std::max(near, far_ready(warp, left));
  }

 private:
  static constexpr std::uint32_t reach = 32;  // no latency of common machines is longer
  struct Far {
    Cycle ready;
    std::uint32_t left;
    int warp;
  };

  static std::size_t place(int warp, std::uint32_t left) {
    return static_cast<std::size_t>(warp) * reach + left % reach;
  }
  [[gnu::noinline, gnu::cold]] void set_far(int warp, std::uint32_t left, Cycle ready, Cycle now) {
    far_.erase(std::remove_if(far_.begin(), far_.end(), [=](const Far& entry) { return entry.ready <= now; }),
               far_.end());
    far_.push_back({ready, left, warp});
  }
  [[gnu::noinline, gnu::cold]] Cycle far_ready(int warp, std::uint32_t left) const {
    Cycle latest = 0;
    for (const Far& entry : far_)
      if (entry.warp == warp && entry.left == left) latest = std::max(latest, entry.ready);
    return latest;
  }

  std::vector<Cycle> near_;
  std::vector<Far> far_;
};

}  // namespace strata
