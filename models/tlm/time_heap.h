#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Events of 16 bits each in order of their cycle; equal cycles in order of the value. One word an event.
class TimeHeap {
 public:
  struct Event {
    Cycle at;
    std::uint16_t value;
  };
  explicit TimeHeap(std::size_t capacity = 64) { words_.reserve(capacity); }

  bool empty() const { return words_.empty(); }
  std::size_t size() const { return words_.size(); }
  /// Cycle of the first event, never when there is none.
  Cycle next() const { return words_.empty() ? never : words_.front() >> 16; }
  void push(Cycle at, std::uint16_t value) {  // 2^48 cycles: two days of 1.4 GHz
    words_.push_back(at << 16 | value);
    std::push_heap(words_.begin(), words_.end(), std::greater<>());
  }
  Event pop() {
    std::pop_heap(words_.begin(), words_.end(), std::greater<>());
    const std::uint64_t word = words_.back();
    words_.pop_back();
    return {word >> 16, static_cast<std::uint16_t>(word)};
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace strata
