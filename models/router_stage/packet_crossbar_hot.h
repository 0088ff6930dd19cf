#pragma once

#include <algorithm>
#include <cassert>

#include "models/router_stage/packet_crossbar_enter_hot.h"

namespace strata {

// How every packet leaves: for the sources that call it only.

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
  if (wide ? has_bids(o) : output.bids != 0) book_output(o, output.free_at);
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
        if (output.blocked == 0) book_output(o, output.free_at);
        continue;
      }
      grant(o, output, next_bidder(o, output), now, send, release);
    }
  }
}

// More ports than a word has bits: the same in loops.
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
        book_output(o, output.free_at);
      else
        grant(o, output, next_bidder(o, output), now, send, release);
    }
  }
}

}  // namespace strata
