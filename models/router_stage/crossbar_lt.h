#pragma once

#include <array>
#include <vector>

#include "models/router_stage/crossbar.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// One network of an lt router stage, as bookkeeping: a packet's whole passage is known at once.
///
/// Each input and each output has a calendar of the cycles in which a flit leaves through it. Head-of-line
/// blocking: a packet leaves its input after all that arrived there before it in time. Finite buffer: the
/// flits that are still in the input at its arrival, by the packets that arrived before it in time, leave it
/// only the rest of the slots; it enters as slots come back, and holds its link for so long.
class CrossbarLt {
 public:
  explicit CrossbarLt(const CrossbarShape& shape);

  struct Passage {
    Cycle began;     ///< the head goes onto the link
    Cycle accepted;  ///< the link is free again
    Cycle sent;      ///< the head leaves the stage
  };
  /// A packet of `flits` wants to go onto the link to `input` in cycle `at`. `now`: nobody asks about earlier
  /// cycles.
  Passage pass(int input, int output, int flits, Cycle at, Cycle now);
  /// The next hop kept the link busy with the packet that passed last through `output` until `until`.
  void hold(int output, Cycle until);

  CrossbarCounters counters() const;
  std::uint64_t busy_cycles(int output) const { return outputs_[static_cast<std::size_t>(output)].busy; }
  void reset_counters();

 private:
  static constexpr std::size_t remembered = 8;  // packets of an input that can still be in its buffer
  struct Entry {
    Cycle at = 0;          // arrival
    Cycle first_slot = 0;  // cycle in which its first slot can be used again; one a cycle from there on
    Cycle left = 0;        // cycle in which the packet behind it may leave
    int flits = 0;
  };
  struct Input {
    SlotCalendar calendar;
    std::array<Entry, remembered> entries{};  // a ring, the last packets in order of the calls
    std::size_t next = 0;
    Cycle last_slot = 0;  // all slots are free from here on
    Cycle last_left = 0;  // all packets have left
  };
  struct Output {
    SlotCalendar calendar;
    std::uint64_t busy = 0;
    Cycle end = 0;  // of the packet that passed last
    int input = 0;
  };

  Cycle behind(const Input& in, Cycle at) const;
  /// Entry into a buffer that may have too few slots: cycle of the head, and in `end` when the link is free.
  Cycle squeeze_in(const Input& in, int flits, Cycle at, Cycle& end);

  CrossbarShape shape_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  CrossbarCounters counters_;
};

}  // namespace strata
