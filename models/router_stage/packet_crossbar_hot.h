#pragma once

#include <algorithm>

#include "models/router_stage/packet_crossbar.h"

namespace strata {

// What every packet passes: for the sources that call it only.

[[gnu::always_inline]] inline Cycle PacketCrossbar::start_head(const Input& in, std::size_t index,
                                                               Cycle not_before, Cycle now) {
  Access& head = *in.head;
  if (head.ready < not_before) head.ready = not_before;
  return book_input(index, head.ready, now);
}

template <bool forced>
[[gnu::always_inline]] inline CrossbarEntry PacketCrossbar::enter(Access& access, int input, int output,
                                                                  Cycle at, Cycle now) {
  const auto index = static_cast<std::size_t>(input);
  Input& in = inputs_[index];
  const int flits = access.flits;
  const int coming = draining(in, at);  // slots
  const int occupied = in.queued + coming;
  const bool first =
      append(in, access, output, at + static_cast<Cycle>(enter_), static_cast<std::size_t>(occupied));

  CrossbarEntry entry{at + static_cast<Cycle>(flits), never};
  if (forced || occupied + flits <= vc_flits_) {
    in.queued = static_cast<std::uint16_t>(in.queued + flits);
  } else {
    in.drain_len = static_cast<std::uint8_t>(coming);
    entry = enter_partly(in, index, access, std::max(vc_flits_ - occupied, 0), at);
    if (access.ready == never) return entry;
  }
  if (first && in.stuck == 0) {
    // The gap is negative where credits take longer than the bubble; drain_last is 0 before any drained.
    const auto not_before = static_cast<std::int64_t>(in.drain_last) + gap_;
    entry.due = start_head(in, index, not_before > 0 ? static_cast<Cycle>(not_before) : 0, now);
  }
  return entry;
}

// The head of an input goes to output `o`; the input is stuck until it is known when the tail leaves.
[[gnu::always_inline]] inline void PacketCrossbar::take(Output& output, std::size_t o, std::size_t index,
                                                        CrossbarGrant& grant) {
  Input& in = inputs_[index];
  Access& access = *in.head;
  in.head = access.next;
  access.next = nullptr;
  in.stuck = 1;
  output.pointer = static_cast<std::uint16_t>(index == last_input_ ? 0 : index + 1);
  output.busy += access.flits;
  grant = {&access, static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(o), access.flits};
}

[[gnu::always_inline]] inline bool PacketCrossbar::serve(std::size_t o, Cycle now, CrossbarGrant& grant) {
  Output& output = outputs_[o];
  const std::uint64_t bids = output.bids;
  if (bids == 0) return false;
  if (output.free_at > now) {  // a blocked one is booked again by unblock()
    if (output.blocked == 0) book_output(o, output.free_at, now);
    return false;
  }
  // Round robin: the first bidder from the pointer on.
  const std::uint64_t ahead = bids & ~std::uint64_t{0} << output.pointer;
  const std::uint64_t order = ahead != 0 ? ahead : bids;
  output.bids = bids & ~(order & (~order + 1));
  if (output.bids != 0) ++conflicts_;
  take(output, o, static_cast<std::size_t>(__builtin_ctzll(order)), grant);
  return true;
}

[[gnu::always_inline]] inline std::size_t PacketCrossbar::arbitrate(Cycle now, Grants& grants) {
  if (wide_) [[unlikely]]
    return arbitrate_wide(now, grants);
  PortTurns::Turns* const turns = turns_.take(now);
  if (turns == nullptr) return 0;
  auto [bits, due] = *turns;
  *turns = {};
  std::size_t count = 0;
  while (bits != 0) {
    const auto index = static_cast<std::size_t>(__builtin_ctzll(bits));
    const std::uint64_t bit = bits & (~bits + 1);
    bits ^= bit;
    const Access& head = *inputs_[index].head;
    if (head.ready > now) {  // beyond the horizon of turns
      book_input(index, head.ready, now);
      continue;
    }
    const std::size_t o = head.tag;
    Output& output = outputs_[o];
    if ((bits | due | output.bids) == 0 && output.free_at <= now) {  // alone in this cycle
      take(output, o, index, grants[0]);
      ++packets_out_;
      return 1;
    }
    output.bids |= bit;
    due |= std::uint64_t{1} << o;
  }
  for (; due != 0; due &= due - 1)
    if (serve(static_cast<std::size_t>(__builtin_ctzll(due)), now, grants[count])) ++count;
  packets_out_ += count;
  return count;
}

// The last packet of an input leaves, its tail in cycle `end` - 1: slots come back, the next packet gets its
// turn.
[[gnu::always_inline]] inline CrossbarRelease PacketCrossbar::leave(std::size_t index, int flits, Cycle end,
                                                                    Cycle now) {
  Input& in = inputs_[index];
  CrossbarRelease release;
  in.stuck = 0;
  in.queued = static_cast<std::uint16_t>(in.queued - flits);
  in.drain_last = end - 1 + static_cast<Cycle>(credit_delay_);
  in.drain_len = static_cast<std::uint8_t>(flits);
  if (in.owed != 0) use_owed(in, index, flits, now, release);
  if (in.head != nullptr && in.head->ready != never)
    start_head(in, index, end + static_cast<Cycle>(in_bubble_), now);
  return release;
}

[[gnu::always_inline]] inline CrossbarRelease PacketCrossbar::sent(const CrossbarGrant& grant, Cycle at,
                                                                   Cycle now) {
  Output& output = outputs_[grant.output];
  const Cycle end = std::max(at, now + static_cast<Cycle>(grant.flits));
  output.free_at = end + static_cast<Cycle>(out_bubble_);
  if (wide_ ? has_bids(grant.output) : output.bids != 0) book_output(grant.output, output.free_at, now);
  return leave(grant.vc, grant.flits, end, now);
}

[[gnu::always_inline]] inline CrossbarEntry PacketCrossbar::arrive(Access& access, int input, int output,
                                                                   Cycle at, Cycle now) {
  return enter<false>(access, input, output, at, now);
}

}  // namespace strata
