#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/noc/switching/packet_network.h"
#include "models/noc/switching/port_turns.h"

namespace strata {

/// One network of a router stage with one VC per input that holds whole packets: input FIFOs with finite
/// buffers, a switch, outputs with round-robin arbiters. `wide`: with more than 64 inputs or outputs.
///
/// Events are packets, accounting is in flits. A packet granted in cycle S leaves in S, S+1, ...; its slots
/// come back one a cycle and are counted when they are needed, so draining costs no event. A packet that
/// finds too few slots enters with those there are and goes on as slots come back (wormhole); until the end
/// of that is known its sender is held. Cycles are those in which flits are SENT: a stage of p cycles behind
/// a link of l sends a head that was sent to it in s not before s + l + p, its arbitration lying a constant
/// earlier.
///
/// Its ports have turns in the wheel, which it books itself: arbitrate() in each cycle in which one has a
/// turn. What every packet passes is inline: calls would cost as much as the work.
template <bool wide>
class alignas(64) PacketCrossbar final : public PacketNetwork<PacketCrossbar<wide>> {
 public:
  PacketCrossbar(const CrossbarConfig& shape, const PortTurns& inputs, const PortTurns& outputs);
  void reshape(const CrossbarConfig& shape) override;

  /// The head of a packet of `access.flits` was sent to `input` in cycle `at`, now or later. `often_partly`:
  /// packets are long, and often find too little room.
  template <bool often_partly>
  [[gnu::always_inline]] inline CrossbarEntry arrive(Access& access, int input, int output, Cycle at);
  /// Like enter(), for a packet that must not be held (a reply that came with its request): it goes in beyond
  /// the buffer's capacity.
  CrossbarEntry force(Access& access, int input, int output, Cycle at);
  /// Ports with a turn: bitmaps of them; of a wide network, the place where the wheel has them.
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
  /// The clock must be informed of new turns.
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
    std::uint8_t drain_len = 0;  // slots of the leaving packet that are not reserved yet
    std::uint8_t stuck = 0;      // the last packet of the input is held by the next hop, or is being sent
    // The packet that waits for the credits in `owed`:
    bool head_waits = false;
    bool fits = false;  // into the buffer: it does not leave before the end of its entering is known
    Access* entering = nullptr;
    Cycle end = 0;
    Cycle blocked_since = 0;   // its last packet, by the next hop
    std::uint16_t output = 0;  // of its head, so that a bid needs no other access
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
  void schedule_input(std::size_t input, Cycle cycle) {
    wide ? input_turns_.schedule_wide(input, cycle) : input_turns_.book(input, cycle);
  }
  void schedule_output(std::size_t output, Cycle cycle) {
    wide ? output_turns_.schedule_wide(output, cycle) : output_turns_.book(output, cycle);
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

// --- arrivals

/// The head of an input gets its turn, not before two cycles: that of the network and that of the wheel.
template <bool wide>
inline void PacketCrossbar<wide>::start_head(Access& head, std::size_t index, Cycle not_before,
                                             Cycle earliest) {
  if (head.ready < not_before) head.ready = not_before;
  schedule_input(index, std::max(head.ready, earliest));
}

/// The gap of a packet that came to an empty input. The gap is negative where credits take longer than the
/// bubble; drain_last is 0 before any drained.
template <bool wide>
inline void PacketCrossbar<wide>::start_first(Input& in, Access& head, int output, std::size_t index) {
  in.output = static_cast<std::uint16_t>(output);
  if (in.stuck != 0) return;
  const auto not_before = static_cast<std::int64_t>(in.drain_last) + gap_;
  start_head(head, index, not_before > 0 ? static_cast<Cycle>(not_before) : 0);
}

/// A packet leaves in one piece: its head waits here until the tail, which is in at `end`, can follow it.
template <bool wide>
inline void PacketCrossbar<wide>::follow_tail(Access& access, Cycle end) const {
  access.ready = std::max(access.ready, end - access.flits + static_cast<Cycle>(enter_));
}

/// A packet that finds too few slots: it takes the free ones, then those of the packet that is leaving, and
/// is owed the rest. Returns until when its sender is busy; never: it is held.
template <bool wide>
inline Cycle PacketCrossbar<wide>::enter_partly(Input& in, Access& access, int coming, Cycle at) {
  const int flits = access.flits;
  const int free = std::max(vc_flits_ - in.queued - coming, 0);
  const int wanted = flits - free;
  const int given = std::min(wanted, coming);
  const Cycle first_slot = in.drain_last + 1 - static_cast<Cycle>(coming);
  const Cycle head = free > 0 ? at : first_slot;
  Cycle end = head + static_cast<Cycle>(flits);
  if (given > 0) end = std::max(end, first_slot + static_cast<Cycle>(given));
  in.drain_len = static_cast<std::uint8_t>(coming - given);
  in.queued = static_cast<std::uint16_t>(in.queued + free + given);
  in.owed = static_cast<std::uint16_t>(wanted - given);
  const bool head_waits = free + given == 0;
  access.ready = head_waits ? never : head + static_cast<Cycle>(enter_);
  if (in.owed == 0) {
    follow_tail(access, end);
    return end;
  }
  ++held_;
  in.entering = &access;
  in.end = head_waits ? at : end;
  in.head_waits = head_waits;
  in.fits = flits <= vc_flits_;
  return never;
}

template <bool wide>
template <bool often_partly>
inline CrossbarEntry PacketCrossbar<wide>::arrive(Access& access, int input, int output, Cycle at) {
  const auto index = static_cast<std::size_t>(input);
  Input& in = input_[index];
  const int flits = access.flits;
  const int coming = Base::draining(in, at);  // slots
  const int occupied = in.queued + coming;
  const bool first =
      Base::append(in, access, output, at + static_cast<Cycle>(enter_), static_cast<std::size_t>(occupied));
  Cycle end = at + static_cast<Cycle>(flits);
  if (occupied + flits <= vc_flits_) {
    in.queued = static_cast<std::uint16_t>(in.queued + flits);
  } else {
    end = often_partly ? enter_partly(in, access, coming, at) : enter_partly_apart(in, access, coming, at);
    if (access.ready == never) return {never, never};
  }
  if (first) start_first(in, access, output, index);
  return {end, never};
}

// --- departures

/// The last packet of an input leaves, its tail in cycle `end` - 1: places come back, the next packet gets
/// its turn. Returns until when the sender of the one behind is busy, never: it is not held, or remains so.
template <bool wide>
inline Cycle PacketCrossbar<wide>::leave(Input& in, std::size_t index, int flits, Cycle end, Cycle now,
                                         Cycle earliest) {
  in.stuck = 0;
  in.queued = static_cast<std::uint16_t>(in.queued - flits);
  in.drain_last = end - 1 + static_cast<Cycle>(credit_delay_);
  in.drain_len = static_cast<std::uint8_t>(flits);
  const Cycle until = in.owed != 0 ? use_owed(in, flits, now) : never;
  if (in.head == nullptr) return until;
  in.output = in.head->tag;
  if (in.head->ready != never) start_head(*in.head, index, end + static_cast<Cycle>(in_bubble_), earliest);
  return until;
}

/// Output `o` passes on the head of an input, which is stuck until it is known when the tail leaves.
template <bool wide>
template <class Send, class Release>
inline void PacketCrossbar<wide>::grant(std::size_t o, Output& output, std::size_t index, Cycle now,
                                        const Send& send, const Release& release) {
  Input& in = input_[index];
  Access& access = *in.head;
  const int flits = access.flits;
  assert(access.ready <= now);
  in.head = access.next;
  access.next = nullptr;
  in.stuck = 1;
  output.last = static_cast<std::uint16_t>(index);
  output.busy += access.flits;
  ++packets_out_;
  const Cycle at = send(access, o);
  if (at == never) {
    Base::block(o, static_cast<std::uint16_t>(index), flits, now);
    output.free_at = never;
    return;
  }
  const Cycle end = std::max(at, now + static_cast<Cycle>(flits));
  output.free_at = end + static_cast<Cycle>(out_bubble_);
  if (wide ? has_bids(o) : output.bids != 0) schedule_output(o, output.free_at);
  const Cycle until = leave(in, index, flits, end, now, 0);
  if (until != never) release(CrossbarRelease{static_cast<int>(index), until});
}

/// Round robin: the first bidder behind the one served last.
template <bool wide>
inline std::size_t PacketCrossbar<wide>::next_bidder(std::size_t o, Output& output) {
  if constexpr (!wide) {
    const std::uint64_t bids = output.bids;
    output.bids = 0;
    if ((bids & (bids - 1)) == 0) [[likely]]
      return static_cast<std::size_t>(__builtin_ctzll(bids));
    const std::uint64_t ahead = bids & ~std::uint64_t{1} << output.last;
    const std::uint64_t order = ahead != 0 ? ahead : bids;
    output.bids = bids & ~(order & (~order + 1));
    ++conflicts_;
    return static_cast<std::size_t>(__builtin_ctzll(order));
  }
  const std::size_t pointer = output.last + 1U == inputs_.size() ? 0 : output.last + 1U;
  std::size_t word = pointer / 64;
  std::uint64_t bits = bid_word(o, word) & ~std::uint64_t{0} << pointer % 64;
  while (bits == 0) {  // comes back to the pointer's word, whose lower bits are left then
    if (++word == input_words_) word = 0;
    bits = bid_word(o, word);
  }
  bid_word(o, word) &= ~(bits & (~bits + 1));
  if (has_bids(o)) ++conflicts_;
  return word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
}

template <bool wide>
template <class Send, class Release>
inline void PacketCrossbar<wide>::arbitrate(Cycle now, Turns turns, const Send& send,
                                            const Release& release) {
  if constexpr (wide) {
    arbitrate_wide(now, turns, send, release);
  } else {
    std::uint64_t due = turns.outputs;
    for (std::uint64_t bits = turns.inputs; bits != 0; bits &= bits - 1) {
      const auto index = static_cast<std::size_t>(__builtin_ctzll(bits));
      const Input& in = input_[index];
      __builtin_prefetch(in.head);
      const std::size_t o = in.output;
      output_[o].bids |= bits & (~bits + 1);
      due |= std::uint64_t{1} << o;
    }
    for (; due != 0; due &= due - 1) {
      const auto o = static_cast<std::size_t>(__builtin_ctzll(due));
      Output& output = output_[o];
      if (output.bids == 0) continue;
      if (output.free_at > now) {  // a blocked one is booked again by unblock()
        if (output.blocked == 0) schedule_output(o, output.free_at);
        continue;
      }
      grant(o, output, next_bidder(o, output), now, send, release);
    }
  }
}

// Loops for more ports than a word has bits.
template <bool wide>
template <class Send, class Release>
void PacketCrossbar<wide>::arbitrate_wide(Cycle now, std::size_t place, const Send& send,
                                          const Release& release) {
  for (std::size_t word = 0; word < due_.size(); ++word) due_[word] = output_turns_.take_wide(word, place);
  for (std::size_t word = 0; word < input_words_; ++word) {
    for (std::uint64_t bits = input_turns_.take_wide(word, place); bits != 0; bits &= bits - 1) {
      const std::size_t index = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      const std::size_t o = input_[index].output;
      bid_word(o, word) |= bits & (~bits + 1);
      due_[o / 64] |= std::uint64_t{1} << o % 64;
    }
  }
  for (std::size_t word = 0; word < due_.size(); ++word) {
    for (std::uint64_t due = due_[word]; due != 0; due &= due - 1) {
      const std::size_t o = word * 64 + static_cast<std::size_t>(__builtin_ctzll(due));
      Output& output = output_[o];
      if (output.blocked != 0 || !has_bids(o)) continue;
      if (output.free_at > now)
        schedule_output(o, output.free_at);
      else
        grant(o, output, next_bidder(o, output), now, send, release);
    }
  }
}

}  // namespace strata
