#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// The last visitors of a queue with so many places, from when to when each was in it: tells whether there
/// is room in a cycle when visits are told in any order of time.
class WaitRing {
 public:
  explicit WaitRing(std::size_t places) : places_(places), visits_(remembered * places) {}

  void visit(Cycle entered, Cycle left) {
    if (left <= entered) return;
    visits_[next_] = {entered, left};
    next_ = next_ + 1 == visits_.size() ? 0 : next_ + 1;
    last_ = std::max(last_, left);
  }
  /// Nobody is in the queue from this cycle on.
  Cycle last() const { return last_; }
  /// The same when visits are told nearly in order: only the one that came so many places before is asked.
  Cycle room_in_order(Cycle at) const {
    if (last_ <= at) return at;
    const std::size_t size = visits_.size();
    const Visit& before = visits_[next_ >= places_ ? next_ - places_ : next_ + size - places_];
    return before.entered <= at && before.left > at ? before.left : at;
  }
  /// First cycle, not before `at`, in which a place is free.
  Cycle room(Cycle at) const { return last_ <= at ? at : search(at); }

 private:
  struct Visit {
    Cycle entered = 0;
    Cycle left = 0;
  };
  Cycle search(Cycle at) const {
    std::size_t present = 0;
    Cycle first = never;
    for (const Visit& visit : visits_) {
      if (visit.entered > at || visit.left <= at) continue;
      ++present;
      first = std::min(first, visit.left);
    }
    return present < places_ ? at : first;
  }

  static constexpr std::size_t remembered =
      2;  // times the places: visits told before their time are among them
  std::size_t places_;
  std::vector<Visit> visits_;
  std::size_t next_ = 0;
  Cycle last_ = 0;
};

}  // namespace strata
