#pragma once

#include <array>

#include "models/sm_cluster/sm_core.h"

namespace strata {

/// For how long each warp of an SM waits for its loads: until the result that its next instruction reads is
/// there, or until an entry of its table of loads is free. Seen from outside, after each visit of the SM.
class WarpWaits {
 public:
  /// `ended(warp slot, from, until)`: a warp has waited in cycles [from, until), and goes on in `until`.
  template <class Ended>
  void look(const SmCore& core, Cycle now, Ended&& ended) {
    const std::uint64_t waiting = core.waiting_for_loads();
    for (std::uint64_t all = waiting | waiting_; all != 0; all &= all - 1) {
      const int slot = __builtin_ctzll(all);
      Wait& wait = waits_[static_cast<std::size_t>(slot)];
      const std::uint64_t bit = all & ~(all - 1);
      const bool waits = (waiting & bit) != 0, waited = (waiting_ & bit) != 0;
      // A warp that has issued in this visit, and waits again, has fewer instructions left.
      if (waits && waited && wait.left == core.instructions_left(slot)) continue;
      if (waited && now > wait.from) ended(slot, wait.from, now);
      if (waits) wait = {core.wait_began(slot, now), core.instructions_left(slot)};
    }
    waiting_ = waiting;
  }

 private:
  struct Wait {
    Cycle from = 0;
    std::uint32_t left = 0;
  };
  std::uint64_t waiting_ = 0;  // by warp slot
  std::array<Wait, 64> waits_{};
};

}  // namespace strata
