#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// When the entries of a queue will be given back, as a bitmap over a sliding window; of two that leave in
/// one cycle, one leaves a cycle later.
class LeaveCalendar {
 public:
  /// An entry leaves in cycle `at`; it is cycle `now`.
  void add(Cycle at, Cycle now) {
    ++count_;
    if (at / 64 < base_) {  // take() has been asked for later cycles already
      ++left_;
      if (at > last_) last_ = at;
      return;
    }
    if (at / 64 - base_ >= words_.size()) make_room(at, now);
    while ((word(at) >> at % 64 & 1) != 0)
      if (++at / 64 - base_ >= words_.size()) make_room(at, now);
    word(at) |= std::uint64_t{1} << at % 64;
    if (at < first_) first_ = at;
    if (at > last_) last_ = at;
  }
  /// How many have left by `now` since the last call.
  int take(Cycle now) {
    if (now >= first_ && now / 64 >= base_) pass(now);
    const int left = left_;
    left_ = 0;
    count_ -= left;
    return left;
  }
  int count() const { return count_; }   ///< that take() has not told of
  Cycle next() const { return first_; }  ///< never when there is none; may be past
  Cycle last() const { return last_; }   ///< of all so far

 private:
  std::uint64_t& word(Cycle cycle) { return words_[cycle / 64 & (words_.size() - 1)]; }
  void pass(Cycle now);
  void make_room(Cycle at, Cycle now);

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(16);  // a power of two
  Cycle base_ = 0;                                                     // first word of the window
  Cycle first_ = never;
  Cycle last_ = 0;
  int count_ = 0;
  int left_ = 0;
};

}  // namespace strata
