#pragma once

#include <vector>

#include "models/memory_controller/request_queues.h"
#include "models/tlm/txn.h"

namespace strata {

/// A request to MemoryControllerLt that is not answered within its call, from its announcement to its end.
struct OpenRequest {
  DramRequest request;
  Txn* posted;            // whom to answer; null: it was promised
  Cycle at;               // it comes
  Cycle expected;         // end, without waits for others; 0: not to be learnt from
  std::uint32_t load;     // reads under way when it was announced
  std::uint32_t waiting;  // requests of its direction that waited for room then
  int slice;
  bool held;            // the caller waits to hear that it was accepted
  OpenRequest* next;    // of those of its slice that wait for room
  std::uint16_t index;  // its own
};

/// The requests of a direction that wait for room, by slice in the order of coming.
class WaitingRequests {
 public:
  explicit WaitingRequests(int slices = 0) : lines_(static_cast<std::size_t>(slices)) {}

  bool empty() const { return slices_ == 0; }
  std::uint32_t count() const { return count_; }
  void push(OpenRequest& open) {
    Line& line = lines_[static_cast<std::size_t>(open.slice)];
    open.next = nullptr;
    (line.first == nullptr ? line.first : line.last->next) = &open;
    line.last = &open;
    slices_ |= std::uint64_t{1} << open.slice;
    ++count_;
  }
  /// Slice by slice in turn, as at. Of one slice the first.
  OpenRequest& front() const {
    const std::uint64_t from_turn = slices_ & (~std::uint64_t{0} << turn_);
    return *lines_[static_cast<std::size_t>(__builtin_ctzll(from_turn != 0 ? from_turn : slices_))].first;
  }
  void pop() {
    OpenRequest& open = front();
    Line& line = lines_[static_cast<std::size_t>(open.slice)];
    line.first = open.next;
    if (line.first == nullptr) slices_ &= ~(std::uint64_t{1} << open.slice);
    --count_;
  }
  /// One of `slice` is accepted: the next slice has the turn.
  void accepted(int slice) { turn_ = (slice + 1) & 63; }

 private:
  struct Line {
    OpenRequest* first = nullptr;
    OpenRequest* last = nullptr;
  };

  std::uint64_t slices_ = 0;  // bit = slice with somebody waiting
  std::vector<Line> lines_;
  std::uint32_t count_ = 0;
  int turn_ = 0;  // slice after the one that was accepted last
};

}  // namespace strata
