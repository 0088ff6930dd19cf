#pragma once

#include <array>

#include "models/common/access.h"

namespace strata {

class PacketRouterLt;

/// An input of a network in lt: a FIFO of packets with the buffer of at. It has one turn at most.
struct HopInput {
  Access* head = nullptr;
  Access* tail = nullptr;
  HopInput* next = nullptr;   // the next one with a turn in the same cycle
  HopInput* after = nullptr;  // waits for the same output behind this one
  PacketRouterLt* router = nullptr;
  Cycle next_start = 0;      // of the packet behind the one that left last, at the earliest
  Cycle drain_last = 0;      // last slot of that one can be reused in this cycle
  std::uint16_t queued = 0;  // flits with a slot that have not been given a cycle
  std::uint16_t owed = 0;    // flits of the entering packet without a slot
  std::uint16_t index = 0;
  std::uint8_t drain_len = 0;  // its slots that nobody has been given
  bool reply = false;
  bool waits = false;  // for the next hop, or for its output

  /// In which its head may be sent.
  Cycle earliest() const { return head->ready > next_start ? head->ready : next_start; }
};

/// Which inputs have a turn in which of the next cycles, in the order in which they have been given it.
class HopTurns {
 public:
  explicit HopTurns(PacketRouterLt& first) : driver(first) {}

  static constexpr Cycle horizon = 255;
  /// In a cycle after the one taken last, by `horizon` at most.
  void put(HopInput& input, Cycle cycle) {
    List& list = lists_[cycle % lists_.size()];
    input.next = nullptr;
    (list.first == nullptr ? list.first : list.last->next) = &input;
    list.last = &input;
    ++waiting_;
  }
  /// The turns of a cycle that has come, in a row.
  HopInput* take(Cycle cycle) {
    List& list = lists_[cycle % lists_.size()];
    HopInput* const first = list.first;
    list.first = nullptr;
    return first;
  }
  void taken() { --waiting_; }
  /// The first cycle after `now` with a turn; never: there is none.
  Cycle next(Cycle now) const {
    if (waiting_ == 0) return never;
    Cycle cycle = now + 1;
    while (lists_[cycle % lists_.size()].first == nullptr) ++cycle;
    return cycle;
  }

  PacketRouterLt& driver;  ///< has a turn in the agenda whenever an input has one

 private:
  struct List {
    HopInput* first = nullptr;
    HopInput* last = nullptr;
  };
  std::array<List, horizon + 1> lists_{};
  int waiting_ = 0;
};

}  // namespace strata
