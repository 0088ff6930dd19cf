#pragma once

#include <cstdint>

#include "models/common/ring_queue.h"
#include "models/common/units.h"

namespace strata {

/// Events of 16 bits each in order of their cycle, equal cycles in order of the value, or with `stable` in
/// order of coming. For events that come nearly in that order: each is put to its place from behind. One word
/// an event.
template <bool stable = false>
class TimeQueue {
 public:
  struct Event {
    Cycle at;
    std::uint16_t value;
  };

  bool empty() const { return words_.empty(); }
  std::size_t size() const { return words_.size(); }
  /// Cycle of the first event, never when there is none.
  Cycle next() const { return next_; }
  void push(Cycle at, std::uint16_t value) {  // 2^48 cycles: two days of 1.4 GHz
    const std::uint64_t word = at << 16 | value;
    words_.push(word);
    if (at < next_) next_ = at;
    if (later(last_, word)) return move_forward(word);
    last_ = word;
  }
  Event front() const { return {words_.front() >> 16, static_cast<std::uint16_t>(words_.front())}; }
  Event pop() {
    const Event event = front();
    words_.pop();
    if (words_.empty()) {
      next_ = never;
      last_ = 0;
    } else {
      next_ = words_.front() >> 16;
    }
    return event;
  }

 private:
  static bool later(std::uint64_t one, std::uint64_t other) {
    return stable ? one >> 16 > other >> 16 : one > other;
  }
  // The event that was pushed last, to its place among the others.
  [[gnu::noinline]] void move_forward(std::uint64_t word) {
    std::size_t place = words_.size() - 1;
    for (; place != 0 && later(words_.at(place - 1), word); --place) words_.at(place) = words_.at(place - 1);
    words_.at(place) = word;
  }

  // A copy of the first event's cycle: most looks need no access to the ring.
  Cycle next_ = never;
  std::uint64_t last_ = 0;  // the last event
  RingQueue<std::uint64_t> words_;
};

}  // namespace strata
