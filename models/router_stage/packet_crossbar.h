#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/router_stage/packet_network.h"
#include "models/router_stage/port_turns.h"

namespace strata {

/// One network of a router stage with one VC per input that holds whole packets: input FIFOs with finite
/// buffers, a switch, outputs with round-robin arbiters. `wide`: with more than 64 inputs or outputs.
///
/// Events are packets, accounting is in flits. A packet granted in cycle S leaves in S, S+1, ...; its slots
/// come back one a cycle and are counted when somebody looks, so draining costs no event. A packet that finds
/// too few slots enters with those there are and goes on as slots come back (wormhole); until the end of that
/// is known its sender is held. Cycles are those in which flits are SENT: a stage of p cycles behind a link
/// of l sends a head that was sent to it in s not before s + l + p, its arbitration lying a constant earlier.
///
/// Its ports have turns in the agenda, which it books itself: arbitrate() in each cycle in which one has a
/// turn. What every packet passes is inline (packet_crossbar*_hot.h): calls would cost as much as the work.
template <bool wide>
class alignas(64) PacketCrossbar final : public PacketNetwork<PacketCrossbar<wide>> {
 public:
  PacketCrossbar(const CrossbarShape& shape, const PortTurns& inputs, const PortTurns& outputs);
  void reshape(const CrossbarShape& shape) override;

  /// The head of a packet of `access.flits` was sent to `input` in cycle `at`, now or later. `often_partly`:
  /// packets are long, and often find too little room.
  template <bool often_partly>
  [[gnu::always_inline]] inline CrossbarEntry arrive(Access& access, int input, int output, Cycle at);
  /// The same for a packet that must not be held (an answer that came with its request): it goes in beyond
  /// the buffer's capacity.
  CrossbarEntry force(Access& access, int input, int output, Cycle at);
  /// Ports with a turn: bitmaps of them; of a wide network, the place where the agenda has them.
  struct Due {
    std::uint64_t inputs;
    std::uint64_t outputs;
  };
  using Turns = std::conditional_t<wide, std::size_t, Due>;
  /// Run the arbiters in cycle `now`. `send(access, output)` passes a packet to the next hop and returns the
  /// cycle from which on that can be sent to again, never: it has no room, and unblock() is called later.
  /// `release(release)` ends the holding of a sender.
  template <class Send, class Release>
  [[gnu::always_inline]] inline void arbitrate(Cycle now, Turns turns, const Send& send,
                                               const Release& release);
  /// The held packet of `output` is through in cycle `at`. Harmless when the output is not blocked.
  CrossbarRelease unblock(int output, Cycle at, Cycle now);
  /// What was booked has to be told the clock.
  bool unattended() const { return input_turns_.unattended(); }

 private:
  using Base = PacketNetwork<PacketCrossbar<wide>>;
  friend Base;
  struct alignas(64) Input {
    Access* head = nullptr;
    Access* tail = nullptr;
    Cycle drain_last = 0;        // last slot of the leaving packet can be reused in this cycle
    std::uint16_t queued = 0;    // flits with a slot that have not begun to leave
    std::uint16_t owed = 0;      // flits of the entering packet without a slot
    std::uint8_t drain_len = 0;  // slots of the leaving packet that nobody has been given
    std::uint8_t stuck = 0;      // its last packet is held by the next hop, or being sent
    // Of the packet that `owed` speaks of:
    bool head_waits = false;
    bool fits = false;  // into the buffer: it does not leave before the end of its entering is known
    Access* entering = nullptr;
    Cycle end = 0;
    Cycle blocked_since = 0;   // its last packet, by the next hop
    std::uint16_t output = 0;  // that its head goes to: nobody need look there
  };

  struct Output {
    Cycle free_at = 0;  // never = blocked by the next hop
    std::uint64_t busy = 0;
    std::uint64_t bids = 0;   // inputs 0 to 63 that bid; others in more_bids_
    std::uint16_t last = 0;   // input that it served last: the one behind it has the highest priority
    std::uint16_t input = 0;  // whose packet the next hop holds
    std::uint8_t flits = 0;   // of that packet
    std::uint8_t blocked = 0;
  };
  static_assert(sizeof(Output) == 32 || sizeof(void*) != 8, "hot state: two outputs a cache line");

  [[gnu::always_inline]] inline Cycle enter_partly(Input& in, Access& access, int coming, Cycle at);
  Cycle enter_partly_apart(Input& in, Access& access, int coming, Cycle at);
  [[gnu::always_inline]] inline void follow_tail(Access& access, Cycle end) const;
  Cycle use_owed(Input& in, int flits, Cycle now);
  [[gnu::always_inline]] inline void start_head(Access& head, std::size_t index, Cycle not_before,
                                                Cycle earliest = 0);
  [[gnu::always_inline]] inline void start_first(Input& in, Access& head, int output, std::size_t index);
  [[gnu::always_inline]] inline Cycle leave(Input& in, std::size_t index, int flits, Cycle end, Cycle now,
                                            Cycle earliest);
  template <class Send, class Release>
  [[gnu::always_inline]] inline void grant(std::size_t o, Output& output, std::size_t index, Cycle now,
                                           const Send& send, const Release& release);
  template <class Send, class Release>
  void arbitrate_wide(Cycle now, std::size_t place, const Send& send, const Release& release);
  [[gnu::always_inline]] inline std::size_t next_bidder(std::size_t o, Output& output);
  void book_input(std::size_t input, Cycle cycle) {
    wide ? input_turns_.book_wide(input, cycle) : input_turns_.book(input, cycle);
  }
  void book_output(std::size_t output, Cycle cycle) {
    wide ? output_turns_.book_wide(output, cycle) : output_turns_.book(output, cycle);
  }
  bool has_bids(std::size_t output) const {
    return output_[output].bids != 0 || (wide && has_more_bids(output));
  }
  bool has_more_bids(std::size_t output) const;
  Cycle& blocked_since(std::size_t output) { return input_[output_[output].input].blocked_since; }
  std::uint64_t& bid_word(std::size_t output, std::size_t word) {
    return word == 0 ? output_[output].bids : more_bids_[output * (input_words_ - 1) + word - 1];
  }

  // Stages are visited cold: an arrival needs one of these cache lines, beside its input and the count of how
  // many flits it finds, and a departure two.
  Input* input_ = nullptr;  // inputs_
  PortTurns input_turns_;
  std::int32_t enter_ = 0;  // of the shape
  std::int32_t vc_flits_ = 0;
  std::int32_t gap_ = 0;  // from drain_last to the earliest sending of the next packet of the input
  std::int32_t credit_delay_ = 0;
  std::uint64_t flits_in_ = 0;

  Output* output_ = nullptr;  // outputs_
  PortTurns output_turns_;
  std::int32_t in_bubble_ = 0;
  std::int32_t out_bubble_ = 0;
  std::uint64_t packets_out_ = 0;

  std::uint64_t conflicts_ = 0;
  CrossbarCounters counters_;  // those not made of others when they are read
  alignas(64) std::uint64_t held_ = 0;
  std::array<std::uint64_t, Base::counted_occupancies> occupancy_{};  // arrivals by flits found in the input

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::size_t input_words_;  // of a bitmap of inputs
  std::vector<std::uint64_t> more_bids_;
  std::vector<std::uint64_t> due_;  // outputs with a turn, word by word
};

}  // namespace strata
