#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/turn_ring.h"
#include "models/router_stage/packet_network.h"
#include "models/router_stage/port_turns.h"

namespace strata {

/// One network of a router stage with one VC per input that holds whole packets: input FIFOs with finite
/// buffers, a switch, outputs with round-robin arbiters.
///
/// Events are packets, accounting is in flits. A packet granted in cycle S leaves in S, S+1, ...; its slots
/// come back one a cycle and are counted when somebody looks, so draining costs no event. A packet that finds
/// too few slots enters with those there are and goes on as slots come back (wormhole); until the end of that
/// is known its sender is held. Cycles are those in which flits are SENT: a stage of p cycles behind a link
/// of l sends a head that was sent to it in s not before s + l + p, its arbitration lying a constant earlier.
///
/// What every packet passes is inline (packet_crossbar_hot.h): calls would cost as much as the work.
class alignas(64) PacketCrossbar final : public PacketNetwork<PacketCrossbar, BiddingCrossbar> {
 public:
  explicit PacketCrossbar(const CrossbarShape& shape);
  void reshape(const CrossbarShape& shape) override;  // the first: where the table of virtual functions lies

  CrossbarEntry arrive(Access& access, int input, int output, Cycle at, Cycle now) override;
  CrossbarEntry force(Access& access, int input, int output, Cycle at, Cycle now) override;
  /// Room for the grants of a cycle: one output grants once at most.
  using Grants = std::array<CrossbarGrant, 256>;
  /// Run the arbiters in cycle `now`. The caller sends the packets of grants[0], grants[1], ... in this order
  /// and calls sent() or held() for each; returns how many there are.
  std::size_t arbitrate(Cycle now, Grants& grants);
  CrossbarRelease sent(const CrossbarGrant& grant, Cycle at, Cycle now) override;
  void held(const CrossbarGrant& grant, Cycle now) override;
  CrossbarRelease unblock(int output, Cycle at, Cycle now) override;
  Cycle next_due(Cycle now) const override { return wide_ ? wide_turns_.next(now) : turns_.next(now); }

 private:
  friend class PacketNetwork<PacketCrossbar, BiddingCrossbar>;
  struct Input {
    Access* head = nullptr;
    Access* tail = nullptr;
    Cycle drain_last = 0;        // last slot of the leaving packet can be reused in this cycle
    std::uint16_t queued = 0;    // flits with a slot that have not begun to leave
    std::uint16_t owed = 0;      // flits of the entering packet without a slot
    std::uint8_t drain_len = 0;  // slots of the leaving packet that nobody has been given
    std::uint8_t stuck = 0;      // its last packet is held by the next hop
  };
  static_assert(sizeof(Input) == 32 || sizeof(void*) != 8, "hot state: two inputs a cache line");

  struct Output {
    Cycle free_at = 0;  // never = blocked by the next hop
    std::uint64_t busy = 0;
    std::uint64_t bids = 0;     // inputs 0 to 63 that bid; others in more_bids_
    std::uint16_t pointer = 0;  // input that has the highest priority
    std::uint16_t input = 0;    // whose packet the next hop holds
    std::uint8_t flits = 0;     // of that packet
    std::uint8_t blocked = 0;
  };
  static_assert(sizeof(Output) == 32 || sizeof(void*) != 8, "hot state: two outputs a cache line");

  struct Entering {  // the packet that `owed` speaks of; cold
    Access* access = nullptr;
    Cycle end = 0;
    bool head_waits = false;
    bool fits = false;  // into the buffer: it does not leave before the end of its entering is known
  };

  template <bool forced>
  CrossbarEntry enter(Access& access, int input, int output, Cycle at, Cycle now);
  CrossbarEntry enter_partly(Input& in, std::size_t index, Access& access, int free, Cycle at);
  CrossbarRelease leave(std::size_t index, int flits, Cycle end, Cycle now);
  void follow_tail(Access& access, Cycle end) const;
  void use_owed(Input& in, std::size_t index, int flits, Cycle now, CrossbarRelease& release);
  Cycle start_head(const Input& in, std::size_t index, Cycle not_before, Cycle now);
  bool serve(std::size_t output, Cycle now, CrossbarGrant& grant);
  void take(Output& output, std::size_t o, std::size_t input, CrossbarGrant& grant);
  std::size_t arbitrate_wide(Cycle now, Grants& grants);
  bool serve_wide(std::size_t output, Cycle now, CrossbarGrant& grant);
  Cycle book_input(std::size_t input, Cycle cycle, Cycle now) {
    if (wide_) [[unlikely]]
      return wide_turns_.book(input, cycle, now);
    return turns_.book<PortTurns::inputs>(input, cycle, now);
  }
  void book_output(std::size_t output, Cycle cycle, Cycle now) {
    if (wide_) [[unlikely]]
      wide_turns_.book(output_turn_ + output, cycle, now);
    else
      turns_.book<PortTurns::outputs>(output, cycle, now);
  }
  bool has_bids(std::size_t output) const {
    return outputs_[output].bids != 0 || (input_words_ > 1 && has_more_bids(output));
  }
  bool has_more_bids(std::size_t output) const;
  std::uint64_t& bid_word(std::size_t output, std::size_t word) {
    return word == 0 ? outputs_[output].bids : more_bids_[output * (input_words_ - 1) + word - 1];
  }

  // Three cache lines hold all but the ports themselves: stages are visited cold. An arrival needs two.
  std::vector<Input> inputs_;
  PortTurns turns_;
  std::uint64_t flits_in_ = 0;
  std::int32_t enter_ = 0;  // of the shape
  std::int32_t vc_flits_ = 0;
  std::int32_t gap_ = 0;  // from drain_last to the earliest sending of the next packet of the input
  std::int32_t credit_delay_ = 0;
  std::int32_t in_bubble_ = 0;
  std::uint16_t last_input_;
  std::uint16_t output_turn_;
  bool wide_;  // more ports than a word has bits
  std::int32_t out_bubble_ = 0;
  std::vector<Output> outputs_;
  std::uint64_t conflicts_ = 0;
  std::uint64_t packets_out_ = 0;

  TurnRing<64> wide_turns_;  // in place of turns_: of inputs, and of outputs from output_turn_ on
  std::size_t input_words_;  // of a bitmap of inputs
  std::vector<std::uint64_t> more_bids_;
  std::vector<Entering> entering_;
  std::vector<Cycle> blocked_since_;                            // by output
  CrossbarCounters counters_;                                   // those not made of others when they are read
  std::array<std::uint64_t, counted_occupancies> occupancy_{};  // arrivals by flits found in the input
};

}  // namespace strata
