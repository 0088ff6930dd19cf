#pragma once

#include <algorithm>

#include "models/router_stage/packet_crossbar.h"

namespace strata {

// How every packet comes: for the sources that call it only.

/// The head of an input gets its turn, not before two cycles: that of the network and that of the agenda.
template <bool wide>
inline void PacketCrossbar<wide>::start_head(Access& head, std::size_t index, Cycle not_before,
                                             Cycle earliest) {
  if (head.ready < not_before) head.ready = not_before;
  book_input(index, std::max(head.ready, earliest));
}

/// The same for one that came to an empty input. The gap is negative where credits take longer than the
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

}  // namespace strata
