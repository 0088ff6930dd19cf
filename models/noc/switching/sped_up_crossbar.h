#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/turn_ring.h"
#include "models/noc/allocators/bits.h"
#include "models/noc/switching/packet_network.h"
#include "models/noc/switching/read_ports.h"

namespace strata {

/// A network of whole packets whose inputs have several read ports: packets of one FIFO go to several outputs
/// at the same time.
///
/// With one read port it is equal to PacketCrossbar, cycle by cycle. Outputs are served in the order of
/// their numbers, and the packet behind one that leaves bids in the same cycle for an output whose turn is
/// still to come. Packets of an input never overtake each other; one that the next hop holds keeps all
/// behind it.
class SpedUpCrossbar final : public PacketNetwork<SpedUpCrossbar> {
 public:
  explicit SpedUpCrossbar(const CrossbarConfig& shape);

  /// Arrivals, as in PacketCrossbar.
  CrossbarEntry arrive(Access& access, int input, int output, Cycle at, Cycle now) {
    return enter(access, input, output, at, now, false);
  }
  CrossbarEntry force(Access& access, int input, int output, Cycle at, Cycle now) {
    return enter(access, input, output, at, now, true);
  }
  /// Collect the bids of cycle `now`; next() serves one output after the other.
  void begin(Cycle now);
  /// The next packet to be sent in this cycle; false: there is none. Before it is called again the caller
  /// sends the packet and calls sent() or held().
  bool next(Cycle now, CrossbarGrant& grant);
  /// The next hop took the packet; it can be sent to again from cycle `at` on.
  CrossbarRelease sent(const CrossbarGrant& grant, Cycle at, Cycle now);
  /// The next hop has no room: output and input wait for unblock().
  void held(const CrossbarGrant& grant, Cycle now);
  CrossbarRelease unblock(int output, Cycle at, Cycle now);
  /// First cycle after `now` with work, or never.
  Cycle next_due(Cycle now) const { return turns_.next(now); }

  void reshape(const CrossbarConfig& shape) override;

 private:
  friend class PacketNetwork<SpedUpCrossbar>;
  struct Input {
    Access* head = nullptr;
    Access* tail = nullptr;
    ReadPorts ports;
    std::vector<Cycle> slots;    // in which slots of leaving packets can be reused, in rising order
    Access* entering = nullptr;  // the packet that waits for the credits in `owed`
    Cycle next_flit = 0;         // its next flit is sent to the input then at the earliest
    std::uint32_t queued = 0;    // flits with a slot that have not begun to leave
    std::uint16_t owed = 0;      // flits of the entering packet without a slot
    bool head_waits = false;     // not even its head has one
    bool stuck = false;          // a packet of it is held by the next hop, or is being sent
  };
  struct Output {
    Cycle free_at = 0;  // never = blocked by the next hop
    std::uint64_t busy = 0;
    std::size_t pointer = 0;  // input that has the highest priority
    Bits bids;
    std::uint16_t input = 0;  // whose packet the next hop holds
    std::uint8_t flits = 0;   // of that packet
    bool blocked = false;
  };

  CrossbarEntry enter(Access& access, int input, int output, Cycle at, Cycle now, bool forced);
  Cycle& blocked_since(std::size_t output) { return blocked_since_[output]; }
  bool has_bids(std::size_t output) const { return outputs_[output].bids.any(); }
  void give_slots(Input& in, Cycle now);
  CrossbarRelease leave(std::size_t index, int flits, Cycle end, Cycle now);
  Cycle book_head(std::size_t index, Cycle now);

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  TurnRing<64> turns_;                // of inputs, and of outputs from output_turn_ on
  std::size_t output_turn_;           // a multiple of 64
  std::vector<std::uint64_t> due_;    // outputs to be served in this cycle
  std::vector<Cycle> blocked_since_;  // by output
  std::uint64_t flits_in_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t packets_out_ = 0;
  std::size_t read_ports_ = 1;
  Cycle enter_ = 0;
  int vc_flits_ = 0;
  Cycle credit_delay_ = 1;
  Cycle in_bubble_ = 0;
  Cycle out_bubble_ = 0;
  CrossbarCounters counters_;                                   // those not made of others when they are read
  std::array<std::uint64_t, counted_occupancies> occupancy_{};  // arrivals by flits found in the input
};

}  // namespace strata
