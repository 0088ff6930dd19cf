#pragma once

#include <algorithm>

#include "models/router_stage/hop_network.h"

namespace strata {

[[gnu::always_inline]] inline Cycle HopNetwork::arrive(Access& access, HopInput& in, int output, Cycle at,
                                                       bool forced) {
  const int flits = access.flits;
  const int coming = draining(in, at);  // slots
  const int occupied = in.queued + coming;
  append(in, access, output, at + static_cast<Cycle>(enter_), static_cast<std::size_t>(occupied));
  in.queued = static_cast<std::uint16_t>(in.queued + flits);
  const int missing = forced ? 0 : occupied + flits - vc_flits_;
  return missing <= 0 ? at + static_cast<Cycle>(flits) : enter_late(in, access, at, coming, missing);
}

[[gnu::always_inline]] inline Cycle HopNetwork::bid(HopInput& in, Cycle now) {
  Output& output = outputs_[in.head->tag];
  if (output.free_at > in.head->ready) ++conflicts_;
  if (output.first == &in) {
    output.first = in.after;
  } else if (output.blocked || output.first != nullptr) {
    in.waits = true;
    in.after = nullptr;
    (output.first == nullptr ? output.first : output.last->after) = &in;
    output.last = &in;
    return never;
  }
  return std::max(output.free_at, now);
}

[[gnu::always_inline]] inline Access& HopNetwork::take(HopInput& in) {
  Access& access = *in.head;
  in.head = access.next;
  access.next = nullptr;
  in.waits = true;
  ++packets_out_;
  outputs_[access.tag].busy += access.flits;
  return access;
}

// A packet to `output` leaves, its head in cycle `at` and its tail in cycle `end` - 1.
[[gnu::always_inline]] inline CrossbarRelease HopNetwork::leave(HopInput& in, int output, int flits, Cycle at,
                                                                Cycle end) {
  if (read_ports_ > 1) return leave_port(in, output, flits, at, end);
  CrossbarRelease release;
  in.waits = false;
  in.queued = static_cast<std::uint16_t>(in.queued - flits);
  in.drain_last = end - 1 + static_cast<Cycle>(credit_delay_);
  in.drain_len = static_cast<std::uint8_t>(flits);
  if (in.owed != 0) give_owed(in, flits, release);
  in.next_start = end + static_cast<Cycle>(in_bubble_);
  return release;
}

[[gnu::always_inline]] inline CrossbarRelease HopNetwork::sent(HopInput& in, int output, int flits, Cycle at,
                                                               Cycle free) {
  const Cycle end = std::max(free, at + static_cast<Cycle>(flits));
  outputs_[static_cast<std::size_t>(output)].free_at = end + static_cast<Cycle>(out_bubble_);
  return leave(in, output, flits, at, end);
}

}  // namespace strata
