#pragma once

#include <algorithm>

#include "models/router_stage/hop_network.h"

namespace strata {

inline Cycle HopNetwork::arrive(Access& access, int input, int output, Cycle at, bool forced) {
  const auto index = static_cast<std::size_t>(input);
  Input& in = inputs_[index];
  const int flits = access.flits;
  const int draining =
      in.drain_last > at ? static_cast<int>(std::min<Cycle>(in.drain_last - at, in.drain_len)) : 0;
  const int occupied = in.queued + draining;
  flits_in_ += static_cast<std::uint64_t>(flits);
  if (static_cast<std::size_t>(occupied) < occupancy_.size())
    ++occupancy_[static_cast<std::size_t>(occupied)];
  else
    counters_.occupancy.add(static_cast<std::uint64_t>(occupied));

  access.tag = static_cast<std::uint16_t>(output);
  access.ready = at + static_cast<Cycle>(enter_);
  access.next = nullptr;
  const bool first = in.head == nullptr;
  (first ? in.head : in.tail->next) = &access;
  in.tail = &access;
  in.queued = static_cast<std::uint16_t>(in.queued + flits);
  const int missing = forced ? 0 : occupied + flits - vc_flits_;
  const Cycle end =
      missing <= 0 ? at + static_cast<Cycle>(flits) : enter_late(in, index, access, at, draining, missing);
  if (first) {
    if (in.drain_last != 0) access.ready = std::max(access.ready, in.drain_last + gap_);
  }
  return end;
}

[[gnu::always_inline]] inline Cycle HopNetwork::fly(const Access& access, int input, int o, Cycle at,
                                                    Cycle now, Cycle lead) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  Output& output = outputs_[static_cast<std::size_t>(o)];
  if (in.queued != 0 || output.blocked || output.turn != none) return never;
  const int flits = access.flits;
  const int draining =
      in.drain_last > at ? static_cast<int>(std::min<Cycle>(in.drain_last - at, in.drain_len)) : 0;
  if (draining + flits > vc_flits_) return never;
  const Cycle before = in.drain_last + gap_;  // gap_ may stand for less than nothing
  const Cycle ready = std::max(at + static_cast<Cycle>(enter_), in.drain_last == 0 ? 0 : before);
  if (ready > now + lead) return never;
  ++occupancy_[static_cast<std::size_t>(draining)];
  flits_in_ += static_cast<std::uint64_t>(flits);
  ++packets_out_;
  output.busy += static_cast<std::uint64_t>(flits);
  if (output.free_at <= ready) return ready;
  ++conflicts_;
  return output.free_at;
}

inline Cycle HopNetwork::bid(int input, Cycle now) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  Output& output = outputs_[in.head->tag];
  if (output.free_at > in.head->ready) ++conflicts_;
  if (output.blocked || (output.turn != none && output.turn != input)) {
    wait(in, input, output);
    return never;
  }
  return std::max({in.head->ready, output.free_at, now});
}

inline CrossbarGrant HopNetwork::take(int input) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  Access& access = *in.head;
  in.head = access.next;
  access.next = nullptr;
  in.waits = true;
  ++packets_out_;
  Output& output = outputs_[access.tag];
  output.busy += access.flits;
  output.turn = none;
  return {&access, static_cast<std::uint16_t>(input), access.tag, access.flits};
}

[[gnu::always_inline]] inline CrossbarRelease HopNetwork::leave(std::size_t index, int flits, Cycle end) {
  Input& in = inputs_[index];
  CrossbarRelease release;
  in.waits = false;
  in.queued = static_cast<std::uint16_t>(in.queued - flits);
  in.drain_last = end - 1 + static_cast<Cycle>(credit_delay_);
  in.drain_len = static_cast<std::uint8_t>(flits);
  if (in.owed != 0) give_owed(in, index, flits, release);
  if (in.head != nullptr) in.head->ready = std::max(in.head->ready, end + static_cast<Cycle>(in_bubble_));
  return release;
}

[[gnu::always_inline]] inline CrossbarRelease HopNetwork::sent(const CrossbarGrant& grant, Cycle at,
                                                               Cycle free) {
  const Cycle end = std::max(free, at + static_cast<Cycle>(grant.flits));
  outputs_[grant.output].free_at = end + static_cast<Cycle>(out_bubble_);
  return leave(grant.vc, grant.flits, end);
}

[[gnu::always_inline]] inline void HopNetwork::flown(const CrossbarGrant& grant, Cycle at, Cycle free) {
  const Cycle end = std::max(free, at + static_cast<Cycle>(grant.flits));
  outputs_[grant.output].free_at = end + static_cast<Cycle>(out_bubble_);
  Input& in = inputs_[grant.vc];
  in.drain_last = end - 1 + static_cast<Cycle>(credit_delay_);
  in.drain_len = static_cast<std::uint8_t>(grant.flits);
}

}  // namespace strata
