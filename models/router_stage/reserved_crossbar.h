#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/turn_ring.h"
#include "models/router_stage/packet_statistics.h"

namespace strata {

/// One network of a router stage in lt, with one VC per input that holds whole packets: the buffers, bubbles
/// and credits of PacketCrossbar, but a packet's departure is decided once, ahead of its cycle, instead of
/// being bid for cycle by cycle.
///
/// The packet at the head of an input is given its output first come, first served, by the cycle in which it
/// could leave; that is decided some cycles earlier, when nearly every packet that could come before it is
/// known. From then on the cycle in which each of its slots is free again is known too, and with it when a
/// packet enters for which there was no room. Only what waits for a next hop that cannot say when it has room
/// is left open.
///
/// Its router calls, for each packet and in this order,
///   arrive(), or append() when other packets wait at the input;
///   when due(): decide(), then left() or held(), and enters() for the packets that find room now.
class alignas(64) ReservedCrossbar final : public PacketStatistics<ReservedCrossbar> {
 public:
  explicit ReservedCrossbar(const CrossbarShape& shape);

  /// A packet leaves: its head in cycle `at`.
  struct Departure {
    Access* access;
    Cycle at;
    std::uint16_t input;
    std::uint16_t output;
    std::uint8_t flits;
  };
  /// A packet enters: it came in cycle `came`, its link is free in `until`; never: it has to wait.
  struct Entry {
    Cycle came;
    Cycle until;
  };

  /// Decide `cycles` before the cycle in question.
  void decide_ahead(Cycle cycles) { lead_ = cycles + enter_; }
  Cycle enter() const { return enter_; }

  /// No packet is in front of the next one that comes to `input`.
  bool is_clear(int input) const {
    return !has_head(input) && !inputs_[static_cast<std::size_t>(input)].stuck;
  }
  /// The head of a packet of `access.flits` comes to `input`, which is_clear(), in cycle `at`. It is decided
  /// already when it can leave: then `departure` says so, and left() or held() must follow; otherwise it
  /// waits at the head. Returns the cycle in which the link is free again.
  Cycle arrive(Access& access, int input, int output, Cycle at, Cycle now, Departure& departure);
  /// The same behind others; `never`: enters() will say when the link is free.
  Cycle append(Access& access, int input, int output, Cycle at);

  /// The cycle in which the head of `input` is to be decided; never: none waits for that.
  Cycle due(int input) const;
  /// Decide the head of `input`. False: its output is blocked, and the input waits in line for it.
  bool decide(int input, Departure& departure);
  /// The next hop took a decided packet, and its link is free in cycle `at`.
  void left(const Departure& departure, Cycle at);
  /// The next hop cannot say yet when it takes the packet: the output is blocked.
  void held(const Departure& departure);
  /// A packet that left through `output` ahead of its cycle was not taken in that: the output is blocked.
  void refused(int output);
  /// The held packet of `output` is through in cycle `at`: the input whose head can go on; -1: none.
  int unblock(int output, Cycle at);
  /// The input that waits longest for a free output; -1: none.
  int next_waiting(int output);
  /// Its sender waits for room: for slots, or for the tail of a packet longer than the buffer.
  bool sender_waits(int input) const;
  bool has_head(int input) const { return inputs_[static_cast<std::size_t>(input)].head != nullptr; }
  /// Let the first packet that waits in front of `input` enter, if it can be said when.
  Entry enters(int input);

  // An answer is being handed over through `output`: what came of it.
  void hand_over(int output) { outputs_[static_cast<std::size_t>(output)].taken = handing_over; }
  bool handed_over(int output, Cycle until) {
    Output& out = outputs_[static_cast<std::size_t>(output)];
    if (out.taken != handing_over) return false;
    out.taken = until;
    return true;
  }
  Cycle end_hand_over(int output) {
    const Cycle until = outputs_[static_cast<std::size_t>(output)].taken;
    outputs_[static_cast<std::size_t>(output)].taken = never;
    return until == handing_over ? never : until;
  }

  TurnRing<64>& turns() { return turns_; }

  bool drained() const override;
  void reshape(const CrossbarShape& shape) override;
  void check_idle(Faults& faults, const char* network) const override;

 private:
  friend class PacketStatistics<ReservedCrossbar>;
  static constexpr Cycle handing_over = never - 1;

  struct Input {
    Access* head = nullptr;
    Access* tail = nullptr;
    Access* unbuffered = nullptr;  // first packet that has no slots yet
    Cycle* slot_free = nullptr;    // a ring: when the n-th slot that was given is free again
    Cycle after = 0;               // the head leaves no earlier
    Cycle left = 0;                // the last slot of the packet before it is free again
    Cycle came = 0;                // a packet longer than the buffer
    Cycle until = never;           // that its link is busy, once it is known
    std::uint32_t entered = 0;     // slots given since the start
    std::uint16_t queued = 0;      // of those, whose leaving is not decided
    std::uint8_t last_left = 0;    // length of the packet before
    bool stuck = false;            // its head waits for a blocked output, or was held by the next hop
  };
  struct Output {
    Cycle free = 0;
    std::uint64_t busy = 0;
    Cycle taken = never;
    bool blocked = false;
    std::uint8_t flits = 0;              // of the held packet; 0: it has left its input
    std::uint16_t input = 0;             // of that packet
    Cycle since = 0;                     // that packet left
    std::vector<std::uint16_t> waiting;  // inputs that wait while it is blocked
  };
  void count(const Input& in, const Access& access, Cycle at);
  Cycle place(Input& in, Access& access, Cycle at);
  void start(Input& in, Access& access, int input, int output, Cycle ready, Departure& departure);
  void leave(Input& in, unsigned flits, Cycle end);
  /// Slots that a packet takes: all of a short buffer, as a packet longer than that passes through.
  unsigned slots(unsigned flits) const { return std::min(flits, vc_flits_); }
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> occupancy_;  // arrivals by flits found in the input
  std::uint32_t ring_mask_ = 0;
  std::uint32_t vc_flits_ = 0;
  Cycle enter_ = 0;
  Cycle lead_ = 0;  // from a decision to the cycle that it is about
  Cycle credit_delay_ = 0;
  Cycle in_bubble_ = 0;
  Cycle out_bubble_ = 0;
  std::uint64_t flits_in_ = 0;
  std::uint64_t packets_out_ = 0;
  std::uint64_t conflicts_ = 0;
  TurnRing<64> turns_;
  std::vector<Cycle> rings_;
  CrossbarCounters counters_;
};

}  // namespace strata
