#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/time_queue.h"
#include "models/noc/allocators/islip.h"
#include "models/noc/allocators/vc_allocator.h"
#include "models/noc/routing/routing.h"
#include "models/noc/switching/crossbar.h"
#include "models/noc/switching/flit_interfaces.h"
#include "models/noc/switching/flit_neighbours.h"

namespace strata {

/// One network of a router stage, flit by flit: for several VCs, packets that do not fit into a VC, internal
/// speed-up and virtual output queues. A canonical router: route computation, VC and switch allocation,
/// traversal; credits counted in flits; both allocators iSLIP with pointers that move on accepted grants of
/// the first iteration. Flits of different packets interleave on an output. The network interface at an input
/// sends a packet flit by flit as credits allow, VCs in turn. To an endpoint a packet goes when its tail is
/// there; between linked stages heads travel as transactions, other flits and credits beside them. Cycles
/// without possible progress cost nothing.
class FlitCrossbar final : public Crossbar {
 public:
  FlitCrossbar(const CrossbarConfig& shape, FlitNeighbours& neighbours);

  CrossbarEntry arrive(Access& access, int input, RouteStep step, Cycle at, Cycle now);
  /// Like enter(), for a packet that must not be held: it waits in the network interface.
  CrossbarEntry force(Access& access, int input, RouteStep step, Cycle at, Cycle now);
  /// The neighbour at `input` (at `output`) is a network of flits too.
  void link_input(int input) { linked_in_[static_cast<std::size_t>(input)] = 1; }
  void link_output(int output, int vc_flits);
  bool input_linked(int input) const { return linked_in_[static_cast<std::size_t>(input)] != 0; }
  bool output_linked(int output) const { return outputs_[static_cast<std::size_t>(output)].linked; }
  /// A head sent by a linked neighbour in VC `vc`.
  void arrive_linked(Access& access, int input, RouteStep step, int vc, Cycle at);
  void flit_sent(int input, int vc, Cycle at);
  void credit_returned(int output, int vc, Cycle at);

  /// Run cycle `now`. The caller sends the packets granted(0), granted(1), ..., and calls sent() or held()
  /// for each, and ends the holds named by releases().
  std::size_t arbitrate(Cycle now);
  const CrossbarGrant& granted(std::size_t index) const { return grants_[index]; }
  const std::vector<CrossbarRelease>& releases() const { return releases_; }
  void clear_releases() { releases_.clear(); }
  void sent(const CrossbarGrant& grant, Cycle at, Cycle now);
  void held(const CrossbarGrant& grant, Cycle now);
  void unblock(int output, Cycle at, Cycle now);
  /// First cycle after `now` with work, or never.
  Cycle next_due(Cycle now) const { return again_ ? now + 1 : next_event(); }
  Cycle next_event() const;
  bool drained() const override;
  void reshape(const CrossbarConfig& shape) override;
  int blocked_input(int output) const override;
  std::uint64_t busy_cycles(int o) const override { return outputs_[static_cast<std::size_t>(o)].busy; }
  int queued_flits(int input) const override;
  int capacity() const override { return shape_.vcs * shape_.vc_flits; }
  const Access* oldest_for(int output) const override;
  CrossbarCounters counters() const override;
  void reset_counters() override;
  void check_idle(Faults& faults, const char* network) const override;

 private:
  enum class State : std::uint8_t { idle, allocating, active };
  enum Event : std::uint32_t { visible, credit, emission, entrance };

  struct Queue {  // an input VC, or one of an input's virtual output queues
    Access* head = nullptr;
    Access* tail = nullptr;
    std::uint64_t ready = 0;      // internal step from which the front may bid
    std::uint16_t available = 0;  // flits in the buffer
    std::uint16_t left = 0;       // flits of the front packet that have not passed the switch
    std::uint16_t output = 0;
    std::uint16_t out_vc = 0;
    std::uint32_t allowed = 0;  // VCs of the output that the front packet may take, a bit each
    std::uint16_t port = 0;     // read port of all inputs through which it reaches the switch
    State state = State::idle;
    bool fresh = false;  // the head of the front packet has not passed the switch
  };
  struct Output {
    Access* head = nullptr;  // packets that have passed the switch
    Access* tail = nullptr;
    Cycle link_free = 0;  // the link's next flit leaves here at the earliest
    Cycle port_free = 0;  // the next hop takes the next packet
    std::uint64_t busy = 0;
    std::uint32_t free_vcs = 0;
    std::uint16_t input = 0;  // of the last packet handed over
    bool linked = false;
    Cycle blocked_since = 0;
    Cycle opens = 0;  // flits pass the switch from then on; never: the next hop holds a packet
    bool blocked() const { return opens == never; }
  };
  std::size_t queue_of(int input, int queue) const {
    return static_cast<std::size_t>(input) * queues_ + static_cast<std::size_t>(queue);
  }
  void run_interface(std::size_t input, Cycle now);
  bool open_later(std::size_t input, Cycle from, Cycle now);
  void open(std::size_t input, Cycle now);
  void append(Access& access, std::size_t queue);
  void take_events(Cycle now);
  void see_flit(std::size_t queue, std::uint64_t step);
  void start_front(Queue& queue, std::size_t index, std::uint64_t ready);
  void allocate_vcs(std::uint64_t step);
  void allocate_switch(std::uint64_t step, Cycle now);
  bool may_pass(std::size_t index, Cycle now) const;
  bool has_credit(const Queue& queue) const;
  void bid(std::size_t index);
  void pass_held(std::uint64_t step, Cycle now);
  void pass(std::size_t port, std::size_t output, std::size_t index, std::uint64_t step, Cycle now);
  void give_back_slot(std::size_t input, std::size_t index, Cycle now);
  void leave(Access& access, std::size_t output, Cycle at, std::size_t tag, Cycle now);
  void emit(std::size_t output, Cycle now);
  void book(Event event, std::size_t i, Cycle at) { events_[event].push(at, static_cast<std::uint16_t>(i)); }

  CrossbarConfig shape_;
  FlitNeighbours& neighbours_;
  std::size_t queues_;  // per input
  std::size_t ports_;   // read ports per input: its queues share them, by their numbers modulo them
  std::size_t inputs_;
  std::size_t out_vcs_;
  bool again_ = false;  // the next cycle has work
  std::uint64_t speedup_ = 1;
  std::uint64_t route_steps_ = 1;      // internal steps from a head's being seen to VC allocation
  std::uint64_t switch_steps_ = 1;     // from VC to switch allocation
  std::uint64_t traverse_steps_ = 1;   // from switch allocation to traversal
  Cycle arrive_delay_ = 1;             // cycles from a flit's sending to its being seen
  Cycle leave_delay_ = 1;              // from traversal to its sending on
  std::array<TimeQueue<>, 4> events_;  // by kind: each comes nearly in order of time
  std::vector<Queue> queue_;
  FlitInterfaces interfaces_;
  std::vector<Cycle> last_credit_;  // by read port: cycle of the credit sent last
  std::vector<Cycle> opens_;        // by input: its held sender may go on from then; never: nothing is known
  std::vector<Output> outputs_;
  std::vector<std::uint16_t> credits_;  // by output VC
  std::vector<std::uint8_t> linked_in_;
  std::vector<std::uint16_t> capacity_;  // of an output's VCs
  Bits allocating_;                      // queues whose front has no output VC
  Bits active_;                          // queues whose front has one and a flit to send
  Bits emitting_;                        // outputs with a packet to hand over
  VcAllocator vcs_;
  Islip switch_;
  std::vector<std::uint16_t> candidate_;   // by read port and output: the queue that bids
  std::vector<std::uint16_t> next_queue_;  // by read port: queue whose turn it is
  std::vector<int> holder_;                // by output: queue that keeps the switch, or -1
  Bits held_ports_;                        // scratch: read ports that are kept
  std::vector<CrossbarGrant> grants_;
  std::vector<CrossbarRelease> releases_;
  CrossbarCounters counters_;
};

}  // namespace strata
