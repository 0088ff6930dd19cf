#include "models/memory_controller/leave_calendar.h"

#include <algorithm>

namespace strata {

void LeaveCalendar::pass(Cycle now) {
  const Cycle end = base_ + words_.size();
  for (; base_ < std::min(now / 64, end); ++base_) {
    left_ += __builtin_popcountll(word(base_ * 64));
    word(base_ * 64) = 0;
  }
  first_ = never;
  base_ = now / 64;
  if (base_ >= end) return;
  const std::uint64_t passed = ~std::uint64_t{0} >> (63 - now % 64);
  left_ += __builtin_popcountll(word(now) & passed);
  word(now) &= ~passed;
  for (Cycle i = base_; i < end && first_ == never; ++i)
    if (word(i * 64) != 0) first_ = i * 64 + static_cast<Cycle>(__builtin_ctzll(word(i * 64)));
}

void LeaveCalendar::make_room(Cycle at, Cycle now) {
  if (now / 64 > base_) pass(now);
  while (at / 64 - base_ >= words_.size()) {
    std::vector<std::uint64_t> wider(2 * words_.size());
    for (Cycle i = base_; i < base_ + words_.size(); ++i) wider[i & (wider.size() - 1)] = word(i * 64);
    words_.swap(wider);
  }
}

}  // namespace strata
