#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Events of 16 bits each in order of their cycle, equal cycles in order of coming: a ring of fixed size, for
/// events that nearly always come in that order. One word an event.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity) {
    std::size_t places = 1;
    while (places < capacity) places *= 2;
    words_.resize(places);
    mask_ = places - 1;
  }

  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  /// Cycle of the first event, never when there is none.
  Cycle next() const { return next_; }
  void push(Cycle at, int value) {
    assert(size() < words_.size());
    word(end_++) = at << 16 | static_cast<std::uint16_t>(value);
    if (at < last_) return move_forward();
    last_ = at;
    if (next_ == never) next_ = at;
  }
  int pop() {
    const auto value = static_cast<std::uint16_t>(word(first_++));
    next_ = empty() ? never : word(first_) >> 16;
    return value;
  }

 private:
  std::uint64_t& word(std::size_t place) { return words_[place & mask_]; }
  /// The event pushed last, to its place among the others.
  void move_forward() {
    for (std::size_t place = end_ - 1; place != first_ && word(place - 1) >> 16 > word(place) >> 16; --place)
      std::swap(word(place - 1), word(place));
    next_ = word(first_) >> 16;
  }

  Cycle next_ = never;
  Cycle last_ = 0;  // the latest so far
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t mask_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace strata
