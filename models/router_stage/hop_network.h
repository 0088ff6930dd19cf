#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/router_stage/hop_turns.h"
#include "models/router_stage/packet_network.h"
#include "models/router_stage/read_ports.h"

namespace strata {

/// One network of a router stage in lt: a packet is given its cycle of sending in its turn, when it, its
/// input and its place in front of the output are ready. Nobody bids.
///
/// Inputs are FIFOs with the buffers of at; a packet that finds too few slots is held until it is known when
/// the last of those that it needs comes back. Cycles are those in which flits are SENT, and may lie ahead.
class HopNetwork final : public PacketNetwork<HopNetwork> {
 public:
  /// `longest`: flits of the longest packet. A buffer holds one at least.
  HopNetwork(const CrossbarShape& shape, int longest, PacketRouterLt& router);

  HopInput& input(int index) { return inputs_[static_cast<std::size_t>(index)]; }
  /// The head of a packet of `access.flits` is sent to an input in cycle `at`. The cycle in which the link is
  /// free again; never = held. What is forced goes in beyond the buffer's capacity.
  Cycle arrive(Access& access, HopInput& in, int output, Cycle at, bool forced = false);
  /// The cycle in which the head of an input is sent whose turn it is; never: the input waits for the output.
  Cycle bid(HopInput& in, Cycle now);
  /// Take that packet.
  Access& take(HopInput& in);
  /// The next hop took it, sent in cycle `at`; it can be sent to again from cycle `free` on.
  CrossbarRelease sent(HopInput& in, int output, int flits, Cycle at, Cycle free);
  /// The next hop has no room: the output waits for unblock().
  void held(HopInput& in, int output, int flits, Cycle at);
  bool is_blocked(int output) const { return outputs_[static_cast<std::size_t>(output)].blocked; }
  /// The held packet of a blocked output is through in cycle `free`.
  CrossbarRelease unblock(int output, Cycle free);
  /// Give a turn to the input that has waited longest for an output that is not blocked; null: there is none.
  HopInput* next_waiting(int output) {
    HopInput* const first = outputs_[static_cast<std::size_t>(output)].first;
    if (first != nullptr) first->waits = false;
    return first;
  }
  /// The packet behind one of input `in` that was sent in cycle `now` can be sent in the same turn.
  bool follows(const HopInput& in, Cycle now) const {
    return read_ports_ > 1 && in.head != nullptr && !in.waits && in.earliest() <= now;
  }
  /// Input whose packet the next hop held last.
  HopInput& input_of(int output) { return inputs_[outputs_[static_cast<std::size_t>(output)].input]; }

  void reshape(const CrossbarShape& shape) override;

 private:
  Cycle& blocked_since(std::size_t output) { return blocked_since_[output]; }
  static bool has_bids(std::size_t) { return false; }  // nothing bids: the first come has its turn
  friend class PacketNetwork<HopNetwork>;
  struct Output {
    Cycle free_at = 0;
    std::uint64_t busy = 0;
    HopInput* first = nullptr;  // inputs that wait since it was blocked; the first may have its turn
    HopInput* last = nullptr;
    std::uint16_t input = 0;  // whose packet the next hop held last
    std::uint8_t flits = 0;   // of that packet
    bool blocked = false;
  };

  Cycle enter_late(HopInput& in, Access& access, Cycle at, int draining, int missing);
  CrossbarRelease leave(HopInput& in, int output, int flits, Cycle at, Cycle end);
  CrossbarRelease leave_port(HopInput& in, int output, int flits, Cycle at, Cycle end);
  void give_owed(HopInput& in, int flits, CrossbarRelease& release);

  std::vector<HopInput> inputs_;
  std::vector<Output> outputs_;
  std::uint64_t flits_in_ = 0;
  std::uint64_t packets_out_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t held_ = 0;
  int longest_;
  int enter_ = 0;
  int vc_flits_ = 0;
  int credit_delay_ = 0;
  int in_bubble_ = 0;
  int out_bubble_ = 0;
  std::size_t read_ports_ = 1;
  std::vector<ReadPorts> ports_;   // by input; with one, next_start says it all
  std::vector<Access*> entering_;  // by input: the packet that is owed slots
  std::vector<Cycle> blocked_since_;
  CrossbarCounters counters_;
  std::array<std::uint64_t, counted_occupancies> occupancy_{};  // arrivals by flits found in the input
};

}  // namespace strata
