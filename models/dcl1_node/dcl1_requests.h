#pragma once

#include <algorithm>

#include "models/l1/queued_accesses_if.h"

namespace strata {

/// Q1 of a node: accesses that wait for the cache, in the order of their coming. With a design that
/// has queues of its own they pass into these as soon as they are here and find room, and leave in their
/// order.
class DcL1Requests {
 public:
  explicit DcL1Requests(QueuedAccessesIf* behind) : behind_(behind) {}

  bool sorts() const { return behind_ != nullptr; }
  void push(Access& access) { queue_.push(access); }
  /// In the queues behind Q1.
  int sorted() const { return sorted_; }
  /// In Q1 itself.
  int size() const { return queue_.size(); }
  const Access& front() const { return queue_.front(); }

  bool anyone_waits() const { return !queue_.empty() || sorted_ != 0; }
  /// From when on the next one may meet the cache; never when none may before others come or leave.
  Cycle earliest() const {
    if (behind_ == nullptr) return queue_.empty() ? never : queue_.front().ready;
    return behind_->earliest();
  }
  /// When the head of Q1 passes into the queues behind it; never when it waits for room there.
  Cycle next_sorted(Cycle now) const {
    return behind_ != nullptr && !queue_.empty() && queue_.front().ready > now ? queue_.front().ready : never;
  }
  /// Into the queues behind Q1. Returns whether Q1 has got room.
  bool sort(Cycle now) {
    bool any = false;
    while (!queue_.empty() && queue_.front().ready <= now) {
      Access& access = queue_.pop();
      if (!behind_->enter(access)) {
        queue_.push_front(access);
        break;
      }
      ++sorted_;
      any = true;
    }
    return any;
  }
  /// Needs earliest() <= now.
  Access& take(Cycle now) {
    if (behind_ == nullptr) return queue_.pop();
    --sorted_;
    return behind_->take(now);
  }
  void put_back(Access& access) {
    if (behind_ == nullptr) return queue_.push_front(access);
    ++sorted_;
    behind_->put_back(access);
  }

 private:
  AccessFifo queue_;
  QueuedAccessesIf* behind_;
  int sorted_ = 0;  // in the queues behind Q1
};

}  // namespace strata
