#pragma once

#include "models/router_stage/reserved_crossbar.h"

namespace strata {

// What every packet passes: for the sources that call it only.

inline bool ReservedCrossbar::sender_waits(int input) const {
  const Input& in = inputs_[static_cast<std::size_t>(input)];
  return in.unbuffered != nullptr || in.until != never;
}

inline Cycle ReservedCrossbar::due(int input) const {
  const Input& in = inputs_[static_cast<std::size_t>(input)];
  if (in.head == nullptr || in.head == in.unbuffered || in.stuck) return never;
  const Cycle ready = std::max(in.head->ready, in.after);
  return ready > lead_ ? ready - lead_ : 0;
}

[[gnu::always_inline]] inline void ReservedCrossbar::count(const Input& in, const Access& access, Cycle at) {
  const auto leaving = in.left > at ? static_cast<unsigned>(std::min<Cycle>(in.left - at, in.last_left)) : 0U;
  ++occupancy_[std::min(in.queued + leaving, vc_flits_)];
  flits_in_ += access.flits;
}

// Its first slot decides when the head enters, its last one when the tail does. `ready` is set, the cycle in
// which the link is free again returned; for a packet longer than the buffer that is known when it leaves.
[[gnu::always_inline]] inline Cycle ReservedCrossbar::place(Input& in, Access& access, Cycle at) {
  const unsigned flits = access.flits;
  const unsigned wanted = slots(flits);
  const std::uint32_t first = in.entered - vc_flits_;
  const Cycle head = std::max(at, in.slot_free[first & ring_mask_]);
  const Cycle tail = std::max(head + flits - 1U, in.slot_free[(first + wanted - 1) & ring_mask_]);
  in.entered += wanted;
  in.queued = static_cast<std::uint16_t>(in.queued + wanted);
  access.ready = head + enter_;
  if (flits > vc_flits_) {
    ++counters_.held;
    in.came = at;
    return never;
  }
  if (tail >= at + flits) ++counters_.held;
  return tail + 1;
}

[[gnu::always_inline]] inline void ReservedCrossbar::start(Input& in, Access& access, int input, int output,
                                                           Cycle ready, Departure& departure) {
  Output& out = outputs_[static_cast<std::size_t>(output)];
  Cycle at = ready;
  if (out.free > ready) {
    at = out.free;
    ++conflicts_;
  }
  departure = {&access, at, static_cast<std::uint16_t>(input), static_cast<std::uint16_t>(output),
               access.flits};
  in.stuck = true;
  out.busy += access.flits;
  ++packets_out_;
}

[[gnu::always_inline]] inline Cycle ReservedCrossbar::arrive(Access& access, int input, int output, Cycle at,
                                                             Cycle now, Departure& departure) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  count(in, access, at);
  const Cycle until = place(in, access, at);
  const Cycle ready = std::max(access.ready, in.after);
  if (ready <= now + lead_ && !outputs_[static_cast<std::size_t>(output)].blocked) {
    start(in, access, input, output, ready, departure);
    return until;
  }
  departure.access = nullptr;
  access.tag = static_cast<std::uint16_t>(output);
  access.next = nullptr;
  in.head = in.tail = &access;
  return until;
}

inline Cycle ReservedCrossbar::append(Access& access, int input, int output, Cycle at) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  count(in, access, at);
  access.tag = static_cast<std::uint16_t>(output);
  access.next = nullptr;
  (in.head == nullptr ? in.head : in.tail->next) = &access;
  in.tail = &access;
  if (in.unbuffered == nullptr && in.queued + slots(access.flits) <= vc_flits_) return place(in, access, at);
  access.ready = at;
  if (in.unbuffered == nullptr) in.unbuffered = &access;
  return never;
}

[[gnu::always_inline]] inline bool ReservedCrossbar::decide(int input, Departure& departure) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  Access& access = *in.head;
  Output& out = outputs_[access.tag];
  if (out.blocked) {
    in.stuck = true;
    out.waiting.push_back(static_cast<std::uint16_t>(input));
    return false;
  }
  in.head = access.next;
  access.next = nullptr;
  start(in, access, input, access.tag, std::max(access.ready, in.after), departure);
  return true;
}

[[gnu::always_inline]] inline void ReservedCrossbar::leave(Input& in, unsigned flits, Cycle end) {
  const unsigned given = slots(flits);
  std::uint32_t n = in.entered - in.queued;
  in.left = end - 1 + credit_delay_;
  in.last_left = static_cast<std::uint8_t>(given);
  in.queued = static_cast<std::uint16_t>(in.queued - given);
  in.after = end + in_bubble_;
  in.stuck = false;
  if (flits > vc_flits_) in.until = std::max(in.came + flits, in.left + 1 - given);
  Cycle* const ring = in.slot_free;
  const std::uint32_t mask = ring_mask_;
  const Cycle last = in.left;
  for (Cycle at = last + 1 - given; at <= last; ++at) ring[n++ & mask] = at;
}

[[gnu::always_inline]] inline void ReservedCrossbar::left(const Departure& departure, Cycle at) {
  Output& out = outputs_[departure.output];
  Cycle end = departure.at + departure.flits;
  if (at > end) {
    ++counters_.blocked;
    counters_.blocked_cycles += at - end;
    end = at;
  }
  out.free = end + out_bubble_;
  leave(inputs_[departure.input], departure.flits, end);
}

inline ReservedCrossbar::Entry ReservedCrossbar::enters(int input) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  if (in.until != never) {
    const Cycle until = in.until;
    in.until = never;
    return {in.came, until};
  }
  if (in.unbuffered == nullptr || in.queued + slots(in.unbuffered->flits) > vc_flits_) return {0, never};
  Access& access = *in.unbuffered;
  in.unbuffered = access.next;
  const Cycle came = access.ready;
  return {came, place(in, access, came)};
}

}  // namespace strata
