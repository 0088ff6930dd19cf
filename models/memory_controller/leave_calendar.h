#pragma once

#include "models/common/cycle_window.h"

namespace strata {

/// When the entries of a queue will be given back; of two that leave in one cycle, one leaves a cycle later.
class LeaveCalendar {
 public:
  /// An entry leaves in cycle `at`; it is cycle `now`.
  void add(Cycle at, Cycle now) {
    ++count_;
    if (at < window_.begin()) {  // take() has been asked for later cycles already
      ++left_;
    } else {
      if (at >= window_.end()) make_room(at, now);
      while (window_.test(0, at))
        if (++at >= window_.end()) make_room(at, now);
      window_.set(0, at);
      if (at < first_) first_ = at;
    }
    if (at > last_) last_ = at;
  }
  /// How many have left by `now` since the last call.
  int take(Cycle now) {
    if (now >= first_ && now >= window_.begin()) pass(now);
    const int left = left_;
    left_ = 0;
    count_ -= left;
    return left;
  }
  int count() const { return count_; }   ///< that take() has not told of
  Cycle next() const { return first_; }  ///< never when there is none; may be past
  Cycle last() const { return last_; }   ///< of all so far

 private:
  void pass(Cycle now) {
    const auto leave = [this](std::uint64_t cycles) { left_ += __builtin_popcountll(cycles); };
    window_.slide(now, [&](const std::uint64_t* words) { leave(*words); });
    const std::uint64_t passed = ~std::uint64_t{0} >> (63 - now % 64);
    std::uint64_t& present = *window_.at(now);
    leave(present & passed);
    present &= ~passed;
    first_ = window_.first_taken(0, now);
    if (first_ >= window_.end()) first_ = never;
  }
  void make_room(Cycle at, Cycle now) {
    if (now / 64 > window_.begin() / 64) pass(now);
    window_.reach(at);
  }

  CycleWindow window_{16};
  Cycle first_ = never;
  Cycle last_ = 0;
  int count_ = 0;
  int left_ = 0;
};

}  // namespace strata
