#include "models/router_stage/crossbar_lt.h"

#include <algorithm>

namespace strata {

CrossbarLt::CrossbarLt(const CrossbarShape& shape)
    : shape_(shape),
      inputs_(static_cast<std::size_t>(shape.inputs)),
      outputs_(static_cast<std::size_t>(shape.outputs)) {}

CrossbarLt::Passage CrossbarLt::pass(int input, int output, int flits, Cycle at, Cycle now) {
  Input& in = inputs_[static_cast<std::size_t>(input)];
  Output& out = outputs_[static_cast<std::size_t>(output)];
  in.calendar.slide(now);
  out.calendar.slide(now);
  const auto length = static_cast<unsigned>(flits);
  Passage passage{at, at + length, 0};
  if (in.last_slot > at) {
    passage.began = squeeze_in(in, flits, at, passage.accepted);
  } else {
    counters_.occupancy.add(0);
  }
  const Cycle ready = passage.began + static_cast<Cycle>(shape_.enter);
  const Cycle head = in.last_left > ready ? std::max(ready, behind(in, at)) : ready;
  const Cycle tail = out.calendar.book(head, length + static_cast<unsigned>(shape_.out_bubble)) -
                     static_cast<Cycle>(shape_.out_bubble);
  const Cycle left = in.calendar.book(tail + 1 - length, length + static_cast<unsigned>(shape_.in_bubble));
  passage.sent = left - static_cast<Cycle>(shape_.in_bubble) + 1 - length;
  if (passage.sent != head) ++counters_.conflicts;

  Entry& entry = in.entries[in.next];
  in.next = (in.next + 1) % remembered;
  entry = {at, passage.sent + static_cast<Cycle>(shape_.credit_delay), left + 1, flits};
  in.last_slot = std::max(in.last_slot, entry.first_slot + length - 1);
  in.last_left = std::max(in.last_left, entry.left);
  out.end = passage.sent + length;
  out.input = input;
  out.busy += length;
  ++counters_.packets_in;
  ++counters_.packets_out;
  counters_.flits_in += length;
  return passage;
}

// Head-of-line: the first cycle in which all that arrived before are out of the way.
Cycle CrossbarLt::behind(const Input& in, Cycle at) const {
  Cycle free = 0;
  for (const Entry& entry : in.entries)
    if (entry.at <= at) free = std::max(free, entry.left);
  return free;
}

Cycle CrossbarLt::squeeze_in(const Input& in, int flits, Cycle at, Cycle& end) {
  const auto present = [&](const Entry& entry) -> int {
    if (entry.at > at) return 0;  // arrives later, though it was booked earlier
    const Cycle gone = entry.first_slot + static_cast<Cycle>(entry.flits);
    return gone > at + 1 ? static_cast<int>(std::min<Cycle>(gone - at - 1, static_cast<Cycle>(entry.flits)))
                         : 0;
  };
  int occupied = 0;
  for (const Entry& entry : in.entries) occupied += present(entry);
  counters_.occupancy.add(static_cast<std::uint64_t>(occupied));
  const int free = std::max(shape_.vc_flits - occupied, 0);
  int wanted = flits - free;
  if (wanted <= 0) return at;
  ++counters_.held;
  int excess = occupied - shape_.vc_flits + free;  // beyond the capacity: nobody gets these slots back first
  Cycle head = free > 0 ? at : 0;
  for (std::size_t i = 0; i < remembered && wanted > 0; ++i) {
    const Entry& entry = in.entries[(in.next + i) % remembered];
    const int slots = present(entry);
    if (slots == 0) continue;
    Cycle slot = entry.first_slot + static_cast<Cycle>(entry.flits - slots);
    for (int k = 0; k < slots && wanted > 0; ++k, ++slot) {
      if (excess > 0) {
        --excess;
        continue;
      }
      if (head == 0) {
        head = std::max(at, slot);
        end = head + static_cast<Cycle>(flits);
      }
      end = std::max(end, slot + 1);
      --wanted;
    }
  }
  return std::max(head, at);
}

void CrossbarLt::hold(int output, Cycle until) {
  Output& out = outputs_[static_cast<std::size_t>(output)];
  if (until <= out.end) return;
  ++counters_.blocked;
  counters_.blocked_cycles += until - out.end;
  Input& in = inputs_[static_cast<std::size_t>(out.input)];
  out.calendar.take(out.end, until + static_cast<Cycle>(shape_.out_bubble));
  Entry& entry = in.entries[(in.next + remembered - 1) % remembered];
  entry.first_slot += until - out.end;
  entry.left += until - out.end;
  in.last_left = std::max(in.last_left, entry.left);
  in.last_slot = std::max(in.last_slot, entry.first_slot + static_cast<Cycle>(entry.flits) - 1);
  out.end = until;
}

CrossbarCounters CrossbarLt::counters() const {
  CrossbarCounters counters = counters_;
  for (const Output& output : outputs_) counters.flits_out += output.busy;
  return counters;
}

void CrossbarLt::reset_counters() {
  counters_ = {};
  for (Output& output : outputs_) output.busy = 0;
}

}  // namespace strata
