#pragma once

#include <algorithm>
#include <array>

#include "models/memory_controller/request_queues.h"

namespace strata {

/// Requests that were accepted and that the scheduler has not seen yet, in order of time: those that came,
/// and the writes of atomics, which are accepted when the data has been read.
class RequestArrivals {
 public:
  void came(DramRequest& request) {
    came_.append(request);
    ++count_[request.write ? 1 : 0];
  }
  void turned(DramRequest& write) { turned_.append(write); }

  /// The oldest that was accepted before `now`, or null; it is not here any more.
  DramRequest* take(Cycle now) {
    const Cycle came = accepted(came_.first);
    const Cycle turned = accepted(turned_.first);
    if (std::min(came, turned) >= now) return nullptr;
    if (came > turned) return turned_.take();
    DramRequest* const request = came_.take();
    --count_[request->write ? 1 : 0];
    return request;
  }
  bool empty() const { return first_came() == nullptr && first_turned() == nullptr; }
  /// The oldest of each kind, or null; others follow by `next`.
  const DramRequest* first_came() const { return came_.first; }
  const DramRequest* first_turned() const { return turned_.first; }
  /// How many that came are reads, or writes.
  int count(int direction) const { return count_[static_cast<std::size_t>(direction)]; }

 private:
  struct Line {
    DramRequest* first = nullptr;
    DramRequest* last = nullptr;
    void append(DramRequest& request) {
      (first == nullptr ? first : last->next) = &request;
      last = &request;
    }
    DramRequest* take() {
      DramRequest* const request = first;
      first = request->next;
      return request;
    }
  };
  static Cycle accepted(const DramRequest* request) { return request == nullptr ? never : request->accepted; }

  Line came_;
  Line turned_;
  std::array<int, 2> count_{};
};

}  // namespace strata
