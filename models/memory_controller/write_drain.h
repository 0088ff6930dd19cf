#pragma once

#include <algorithm>
#include <cmath>

#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// Which direction a controller serves: reads, until none waits or the write queue passes the high watermark;
/// then writes, until it falls below the low one. Reads that have waited too long end a drain. The direction
/// is decided anew after the sizes of the queues have changed. Where both wait in one queue, there is one
/// direction, called reads.
class WriteDrain {
 public:
  WriteDrain(const MemoryControllerParams& params, const RequestQueues& queues)
      : queues_(queues),
        cap_(params.starvation_cap == 0 ? never / 2 : static_cast<Cycle>(params.starvation_cap)),
        high_(static_cast<int>(std::floor(params.drain_high * params.write_queue)) + 1),
        low_(std::max(0, static_cast<int>(std::ceil(params.drain_low * params.write_queue)) - 1)) {}

  int direction() const { return direction_; }
  /// True when sizes have changed since the direction was last decided.
  bool due() const { return due_; }
  /// The cycle of that change: the next decision comes after it.
  Cycle undecided() const { return undecided_; }
  void resized(Cycle now) {
    due_ = true;
    undecided_ = now;
  }
  /// Leaves out the decision of this cycle.
  void put_off(Cycle now) { undecided_ = now; }
  /// The direction that is, or would be, decided for cycle `now`.
  int coming(Cycle now) const { return due_ ? next(now) : direction_; }
  /// Decide. True when a drain begins while reads wait.
  bool turn(Cycle now) {
    const int to = next(now);
    const bool drains = to == RequestQueues::write && direction_ == RequestQueues::read && reads() > 0;
    direction_ = to;
    due_ = false;
    return drains;
  }
  /// With so many requests waiting, `direction` is neither begun nor ended.
  bool keeps(int direction, int reads, int writes) const {
    if (queues_.shared()) return true;
    return direction == RequestQueues::read ? reads > 0 && writes < high_ : reads == 0 || writes > low_;
  }
  bool read_overdue(Cycle now) const {
    if (now - oldest_read_ <= cap_) return false;
    oldest_read_ = now;
    for_each_bank(queues_.waiting_banks(RequestQueues::read), [&](int bank) {
      oldest_read_ = std::min(oldest_read_, queues_.oldest_age(RequestQueues::read, bank));
    });
    return now - oldest_read_ > cap_;
  }
  /// No read that waits ends a drain by itself before this cycle, or one accepted in `now`.
  Cycle overdue_from(Cycle now) const { return std::max(now, oldest_read_ + cap_) + 1; }
  Cycle patience(Cycle accepted) const { return accepted + cap_ + 1; }

 private:
  int reads() const { return queues_.size(RequestQueues::read); }
  int next(Cycle now) const {
    if (queues_.shared()) return RequestQueues::read;
    const int writes = queues_.size(RequestQueues::write);
    const bool drains = direction_ == RequestQueues::read
                            ? reads() == 0 || (writes >= high_ && !read_overdue(now))
                            : reads() == 0 || (writes > low_ && !read_overdue(now));
    return drains ? RequestQueues::write : RequestQueues::read;
  }

  const RequestQueues& queues_;
  Cycle cap_;
  int high_;  // drain from this many writes on
  int low_;   // until this few are left; none where no queue is emptier than the fraction
  int direction_ = RequestQueues::read;
  bool due_ = true;
  Cycle undecided_ = 0;
  mutable Cycle oldest_read_ = 0;  // no waiting read is older
};

}  // namespace strata
