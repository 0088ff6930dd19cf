#pragma once

#include <cstdint>
#include <vector>

#include "models/router_stage/packet_statistics.h"

namespace strata {

/// One network of a router stage in lt: a packet is given its cycle of sending when it comes to the head of
/// its input, from the cycles in which it, its input and its output are ready. Nobody bids.
///
/// Inputs are FIFOs with the buffers of at; a packet that finds too few slots is held until it is known when
/// the last of those that it needs comes back. Cycles are those in which flits are SENT, and may lie ahead.
class HopNetwork final : public PacketStatistics<HopNetwork> {
 public:
  /// `longest`: flits of the longest packet. A buffer holds one at least.
  HopNetwork(const CrossbarShape& shape, int longest);

  /// The head of a packet of `access.flits` is sent to `input` in cycle `at`. The cycle in which the link is
  /// free again; never = held. What is forced goes in beyond the buffer's capacity.
  Cycle arrive(Access& access, int input, int output, Cycle at, bool forced = false);
  /// The same for a packet with nothing before it that can be given its cycle now, `lead` cycles ahead at
  /// most: that cycle, and it has never been in the input. never: nothing has changed.
  Cycle fly(const Access& access, int input, int output, Cycle at, Cycle now, Cycle lead);
  /// The packet at the head of an input, whose turn is in cycle `ready`; null: none, or the input waits for
  /// an output or for the next hop.
  Access* head(int input) const {
    const Input& in = inputs_[static_cast<std::size_t>(input)];
    return in.waits ? nullptr : in.head;
  }
  /// The cycle in which the head of an input is sent; never: the output is blocked, and the input waits
  /// there.
  Cycle bid(int input, Cycle now);
  /// Take that packet, to be sent in cycle `at`.
  CrossbarGrant take(int input);
  /// The next hop took one that was in an input; it can be sent to again from cycle `free` on.
  CrossbarRelease sent(const CrossbarGrant& grant, Cycle at, Cycle free);
  /// The same of one that was not; nobody waits for its slots.
  void flown(const CrossbarGrant& grant, Cycle at, Cycle free);
  /// The next hop has no room: the output waits for unblock().
  void held(const CrossbarGrant& grant, Cycle at);
  /// The same of one that was in no input.
  void held_flying(const CrossbarGrant& grant, Cycle at) {
    Input& in = inputs_[grant.vc];
    in.queued = static_cast<std::uint16_t>(grant.flits);
    in.waits = true;
    held(grant, at);
  }
  bool is_blocked(int output) const { return outputs_[static_cast<std::size_t>(output)].blocked; }
  /// The held packet of a blocked output is through in cycle `free`.
  CrossbarRelease unblock(int output, Cycle free);
  /// Give the turn of `output` to the input that has waited for it longest; none = -1.
  int next_waiting(int output) {
    Output& out = outputs_[static_cast<std::size_t>(output)];
    return out.first == none || out.turn != none ? none : end_wait(out);
  }
  /// Input whose packet the next hop held last.
  int input_of(int output) const { return outputs_[static_cast<std::size_t>(output)].input; }
  const void* state_of(int input) const { return &inputs_[static_cast<std::size_t>(input)]; }

  bool drained() const override;
  void reshape(const CrossbarShape& shape) override;
  void check_idle(Faults& faults, const char* network) const override;

 private:
  friend class PacketStatistics<HopNetwork>;
  struct Input {
    Access* head = nullptr;
    Access* tail = nullptr;
    Cycle drain_last = 0;        // last slot of the packet that left last can be reused in this cycle
    std::uint16_t queued = 0;    // flits with a slot that have not been given a cycle
    std::uint16_t owed = 0;      // flits of the entering packet without a slot
    std::uint8_t drain_len = 0;  // slots of that packet that nobody has been given
    bool waits = false;          // for the next hop, or for its output
    std::int16_t after = none;   // input that waits for the same output behind this one
  };
  struct Output {
    Cycle free_at = 0;
    std::uint64_t busy = 0;
    std::int16_t first = none;  // inputs that wait while it is blocked
    std::int16_t last = none;
    std::int16_t turn = none;  // waiting input that comes next
    std::uint16_t input = 0;   // whose packet the next hop held last
    std::uint8_t flits = 0;    // of that packet
    bool blocked = false;
  };
  static constexpr std::int16_t none = -1;

  Cycle enter_late(Input& in, std::size_t index, Access& access, Cycle at, int draining, int missing);
  int end_wait(Output& output);
  void wait(Input& in, int input, Output& output);
  CrossbarRelease leave(std::size_t index, int flits, Cycle end);
  void give_owed(Input& in, std::size_t index, int flits, CrossbarRelease& release);

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> occupancy_;  // arrivals by flits found in the input
  std::uint64_t flits_in_ = 0;
  std::uint64_t packets_out_ = 0;
  std::uint64_t conflicts_ = 0;
  int longest_;
  int enter_ = 0;
  int vc_flits_ = 0;
  int credit_delay_ = 0;
  Cycle gap_ = 0;  // from drain_last to the sending of the next packet, modulo 2^64
  int in_bubble_ = 0;
  int out_bubble_ = 0;
  std::vector<Access*> entering_;  // by input: the packet that is owed slots
  std::vector<Cycle> blocked_since_;
  CrossbarCounters counters_;
};

}  // namespace strata
