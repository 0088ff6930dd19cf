#pragma once

#include <algorithm>
#include <array>
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
  explicit ResultTimes(std::size_t warps) : near_(warps) {}

  /// Instruction `left` of a warp, `distance` further on, can issue from cycle `ready` on.
  [[gnu::always_inline]] void set(int warp, std::uint32_t left, std::uint32_t distance, Cycle ready,
                                  Cycle now) {
    if (distance >= reach || (ready - since_ > most && !begin_again(ready, now)))
      return set_far(warp, left, ready, now);
    const auto after = static_cast<std::uint16_t>(ready - since_);
    std::uint16_t& time = near_[static_cast<std::size_t>(warp)].after[left % reach];
    if (time < after) time = after;
  }
  [[gnu::always_inline]] Cycle ready(int warp, std::uint32_t left) const {
    const Cycle near = since_ + near_[static_cast<std::size_t>(warp)].after[left % reach];
    return far_.empty() ? near : std::max(near, far_ready(warp, left));
  }

 private:
  static constexpr std::uint32_t reach = 32;  // no latency of common machines is longer
  struct Far {
    Cycle ready;
    std::uint32_t left;
    int warp;
  };

  static constexpr Cycle most = 0xffff;
  struct alignas(64) Near {  // of a warp: cycles after `since_`
    std::array<std::uint16_t, reach> after{};
  };

  /// Counts from `now` on; false where that is not enough for `ready`.
  [[gnu::noinline, gnu::cold]] bool begin_again(Cycle ready, Cycle now) {
    const Cycle passed = now - since_;
    for (Near& warp : near_)
      for (std::uint16_t& after : warp.after)
        after = after > passed ? static_cast<std::uint16_t>(after - passed) : std::uint16_t{0};
    since_ = now;
    return ready - now <= most;
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

  Cycle since_ = 0;  // not after the present cycle
  std::vector<Near> near_;
  std::vector<Far> far_;
};

}  // namespace strata
