#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Answers that are known before they come, the earliest first. They are put in nearly in that order.
class AnswerQueue {
 public:
  struct Answer {
    Cycle cycle;
    bool at_once;
  };

  AnswerQueue() = default;
  AnswerQueue(const AnswerQueue&) = delete;
  AnswerQueue& operator=(const AnswerQueue&) = delete;

  bool empty() const { return first_ == last_; }
  /// Only when not empty.
  Cycle front() const { return *first_ >> 1; }
  /// The first is there before `now`.
  bool due_before(Cycle now) const { return *first_ < now << 1; }
  Answer pop() {
    const std::uint64_t word = *first_++;
    return {word >> 1, (word & 1) != 0};
  }
  void push(Answer answer) {
    if (last_ == &room_.back()) make_room();
    const std::uint64_t word = answer.cycle << 1 | (answer.at_once ? 1U : 0U);
    std::uint64_t* place = last_++;
    *last_ = never;
    for (; place != first_ && place[-1] > word; --place) *place = place[-1];
    *place = word;
  }

 private:
  // Moves all to the front of a room of which they take less than half: moves are rare.
  void make_room() {
    const std::ptrdiff_t count = last_ - first_;
    if (2 * static_cast<std::size_t>(count) >= room_.size()) {
      std::vector<std::uint64_t> wider(2 * room_.size());
      std::copy(first_, last_, wider.begin());
      room_.swap(wider);
    } else {
      std::copy(first_, last_, room_.begin());
    }
    first_ = room_.data();
    last_ = first_ + count;
  }

  // Words of cycle * 2 + at_once; `never` stands behind the last, so that nobody has to ask for the end.
  std::vector<std::uint64_t> room_ = std::vector<std::uint64_t>(32, never);
  std::uint64_t* first_ = room_.data();
  std::uint64_t* last_ = room_.data();
};

}  // namespace strata
