#pragma once

#include <cstdint>
#include <vector>

#include "models/router_stage/crossbar.h"
#include "models/router_stage/port_calendar.h"

namespace strata {

/// One network of a router stage: input VCs with finite buffers, a switch, outputs with round-robin arbiters.
///
/// Events are packets, accounting is in flits. A packet granted in cycle S leaves in S, S+1, ...; its slots
/// come back one a cycle and are counted when somebody looks, so draining costs no event. A packet that finds
/// too few slots enters with those there are and goes on as slots come back (wormhole); until the end of that
/// is known its sender is held. Cycles are those in which flits are SENT: a stage of p cycles behind a link
/// of l sends a head that was sent to it in s not before s + l + p, its arbitration lying a constant earlier.
class CrossbarCore {
 public:
  using Entry = CrossbarEntry;
  using Grant = CrossbarGrant;
  using Release = CrossbarRelease;

  explicit CrossbarCore(const CrossbarShape& shape);

  /// The head of a packet of `access.flits` was sent to `input` in cycle `at` >= now.
  Entry arrive(Access& access, int input, int output, Cycle at, Cycle now);
  /// The same for a packet that must not be held (an answer that came with its request): it goes in beyond
  /// the buffer's capacity.
  Entry force(Access& access, int input, int output, Cycle at, Cycle now);
  /// Run the arbiters in cycle `now`. The caller sends the packets granted(0), granted(1), ... in this order
  /// and calls sent() or held() for each; returns how many there are.
  std::size_t arbitrate(Cycle now);
  const Grant& granted(std::size_t index) const { return grants_[index]; }
  /// The next hop took the packet; it can be sent to again from cycle `at` on.
  Release sent(const Grant& grant, Cycle at, Cycle now);
  /// The next hop has no room: the output waits for unblock().
  void held(const Grant& grant, Cycle now);
  /// The held packet of `output` is through in cycle `at`. Harmless when the output is not blocked.
  Release unblock(int output, Cycle at, Cycle now);
  /// First cycle after `now` with work, or never.
  Cycle next_due(Cycle now) const { return calendar_.next(now); }

  bool drained() const;
  /// Other sizes and timing of an empty network with the same ports.
  void reshape(const CrossbarShape& shape);

  bool output_blocked(int output) const { return outputs_[static_cast<std::size_t>(output)].blocked != 0; }
  /// Input whose packet the next hop of a blocked output holds.
  int blocked_input(int output) const { return input_of_[outputs_[static_cast<std::size_t>(output)].vc]; }
  /// Cycles in which the output moved a flit.
  std::uint64_t busy_cycles(int output) const { return outputs_[static_cast<std::size_t>(output)].busy; }
  int queued_flits(int input) const;
  int capacity() const { return shape_.vcs * shape_.vc_flits; }
  const Access* oldest_for(int output) const;
  const CrossbarCounters& counters() const { return counters_; }
  void reset_counters();
  /// What is not as it must be when all work is done.
  void check_idle(Faults& faults, const char* network) const;

 private:
  struct InputVc {
    Access* head = nullptr;
    Access* tail = nullptr;
    Cycle drain_last = 0;        // last slot of the leaving packet can be reused in this cycle
    std::uint16_t queued = 0;    // flits with a slot that have not begun to leave
    std::uint16_t owed = 0;      // flits of the entering packet without a slot
    std::uint16_t output = 0;    // where the head goes
    std::uint8_t drain_len = 0;  // slots of the leaving packet that nobody has been given
    std::uint8_t state = 0;      // flags below
  };
  static constexpr std::uint8_t stuck = 1;    // its last packet is held by the next hop
  static constexpr std::uint8_t bidding = 2;  // the head bids for its output
  static_assert(sizeof(InputVc) == 32 || sizeof(void*) != 8, "hot state: two VCs a cache line");

  struct Output {
    Cycle free_at = 0;
    std::uint64_t busy = 0;
    Cycle blocked_since = 0;
    std::uint16_t pointer = 0;  // VC that has the highest priority
    std::uint16_t bids = 0;
    std::uint16_t vc = 0;    // whose packet the next hop holds
    std::uint8_t flits = 0;  // of that packet
    std::uint8_t blocked = 0;
  };
  static_assert(sizeof(Output) == 32 || sizeof(void*) != 8, "hot state: two outputs a cache line");

  struct Entering {  // the packet that `owed` speaks of; cold
    Access* access = nullptr;
    Cycle end = 0;
    bool head_waits = false;
  };

  std::size_t choose_vc(std::size_t input, Cycle at);
  template <bool forced>
  Entry enter(Access& access, int input, int output, Cycle at, Cycle now);
  Entry squeeze_in(InputVc& vc, std::size_t index, Access& access, int free, Cycle at);
  Release leave(std::size_t index, int flits, Cycle end, Cycle now);
  void use_owed(InputVc& vc, std::size_t index, int flits, Cycle now, Release& release);
  Cycle start_head(InputVc& vc, std::size_t index, Cycle not_before, Cycle now);
  void bid(std::size_t index, std::uint64_t* due_outputs, Cycle now);
  void withdraw_siblings(std::size_t index, Cycle now);
  std::size_t pick(const Output& output, std::size_t index) const;
  void match(const std::uint64_t* due, Cycle now);
  void serve(std::size_t output, Cycle now);
  void take(std::size_t output, std::size_t vc);

  CrossbarShape shape_;
  std::size_t vcs_;    // per input, as built
  std::size_t words_;  // of a bitmap of VCs
  int gap_;            // from drain_last to the earliest sending of the next packet of the VC
  std::vector<InputVc> vc_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> bids_;  // one bitmap of VCs per output
  std::vector<std::uint16_t> input_of_;
  PortCalendar calendar_;  // VCs and outputs that have a turn
  std::vector<Entering> entering_;
  std::vector<Cycle> input_free_;       // several VCs only: the input passes one packet at a time
  std::vector<std::uint16_t> accept_;   // several VCs only: iSLIP accept pointers
  std::vector<std::uint8_t> next_vc_;   // several VCs only: VC whose turn it is, per input
  std::vector<std::int32_t> proposal_;  // several VCs only: VC chosen by each output in this cycle
  std::vector<Grant> grants_;           // of this cycle; one output grants once at most
  std::size_t grant_count_ = 0;
  CrossbarCounters counters_;
};

}  // namespace strata
