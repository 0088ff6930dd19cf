#pragma once

#include <cstdint>
#include <vector>

#include "models/noc/switching/crossbar.h"

namespace strata {

/// The network interfaces at the inputs of a network of flits, between a sender that counts in packets and a
/// router that counts in flits. An interface sends its packet flit by flit, one a cycle, each when
/// its queue has a slot for it; a new packet takes the next queue in turn that has one.
///
/// Slots come back at known times, a fixed delay after their flits passed the switch. So flits are sent, and
/// holds of senders ended, ahead of time, as soon as the times are known.
class FlitInterfaces {
 public:
  explicit FlitInterfaces(const CrossbarConfig& shape);

  /// A packet for the output in the low byte of its tag arrives in the cycle in its `ready`.
  void add(Access& access, std::size_t input);
  /// Cycle in which the sender at `input` may begin its next packet, or never when that is not known yet: it
  /// is held then, until a release.
  Cycle free_from(std::size_t input) const;
  void hold(std::size_t input) { interface_[input].holds = true; }
  /// The sender has sent its next packet: the release of the last one is over.
  void end_hold(std::size_t input) { interface_[input].holds = false; }
  /// Cycle after that in which the tail of the last packet is sent. Only when idle().
  Cycle tail_sent(std::size_t input) const { return interface_[input].next; }
  /// A slot of a queue can be used from cycle `at` on. True when that lets the interface go on.
  bool put_slot(std::size_t input, std::size_t queue, Cycle at);

  /// Send flits as far as slots for them are known. `begin(access, queue, free slots)` for each packet that
  /// begins, then `send(queue, cycle)` for each flit, `release(cycle)` when a held sender may go on.
  template <class Begin, class Send, class Release>
  void run(std::size_t input, Begin begin, Send send, Release release);

  std::size_t queues() const { return queues_; }
  int free_slots(std::size_t input) const;
  bool idle(std::size_t input) const {
    return interface_[input].head == nullptr && interface_[input].left == 0;
  }

 private:
  /// Slots that may be used: how many, and from when on those that came back last.
  struct Slots {
    std::uint32_t free = 0;
    std::uint32_t first = 0;  // of the dated ones, in the ring
    std::uint32_t dated = 0;
  };
  struct Interface {
    Access* head = nullptr;  // packets of which nothing has been sent
    Access* tail = nullptr;
    Cycle next = 0;         // cycle of the next flit
    int left = 0;           // flits to be sent of the packet that is on its way
    std::size_t queue = 0;  // where they go
    bool holds = false;
  };

  std::size_t slots_of(std::size_t input, std::size_t queue) const {
    return shared_ ? input : input * queues_ + queue;
  }
  Cycle slot_time(std::size_t slots) const;
  void take_slot(std::size_t slots);
  Cycle room_from(std::size_t input) const;
  bool choose(std::size_t input, std::size_t output, Cycle& from, std::size_t& queue) const;

  bool shared_;  // virtual output queues share the slots of their input
  std::size_t queues_;
  std::size_t dates_;  // kept of each
  std::vector<Slots> slots_;
  std::vector<Cycle> slot_dates_;
  std::vector<Interface> interface_;
};

template <class Begin, class Send, class Release>
void FlitInterfaces::run(std::size_t input, Begin begin, Send send, Release release) {
  Interface& interface = interface_[input];
  while (interface.left != 0 || interface.head != nullptr) {
    if (interface.left == 0) {
      Access& access = *interface.head;
      Cycle from = interface.next > access.ready ? interface.next : access.ready;
      if (!choose(input, access.tag & 255U, from, interface.queue)) break;
      interface.head = access.next;
      interface.left = access.flits;
      interface.next = from;
      begin(access, interface.queue, slots_[slots_of(input, interface.queue)].free);
    }
    const std::size_t slots = slots_of(input, interface.queue);
    for (; interface.left != 0 && slots_[slots].free != 0; --interface.left) {
      const Cycle time = slot_time(slots);
      if (interface.next < time) interface.next = time;
      take_slot(slots);
      send(interface.queue, interface.next++);
    }
    if (interface.left != 0) break;
  }
  if (!interface.holds) return;
  const Cycle from = free_from(input);
  if (from == never) return;
  interface.holds = false;
  release(from);
}

}  // namespace strata
