#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/access.h"
#include "models/common/faults.h"
#include "models/common/stats.h"

namespace strata {

/// Size and timing of one network of a router stage.
struct CrossbarConfig {
  int inputs = 1;
  int outputs = 1;
  int vcs = 1;            ///< virtual channels per input, each a FIFO of its own
  int vc_flits = 8;       ///< buffer of one VC
  int enter = 5;          ///< cycles from a head's sending by the neighbour to its earliest sending here
  int in_bubble = 0;      ///< idle cycles of an input VC between two packets
  int out_bubble = 0;     ///< idle cycles of an output between two packets
  int credit_delay = 1;   ///< from a flit's sending here to the sending of the flit that takes its slot
  int speedup = 1;        ///< flits that an input VC passes to the switch per cycle
  bool reply = false;     ///< packets are replies: nothing follows them back
  int input_speedup = 1;  ///< packets of an input that may pass to outputs at the same time
  // For the flit-exact network only:
  int stages = 4;            ///< route, VC allocation, switch allocation, traversal; 0 = a latch
  int link = 1;              ///< latency of the links that end here
  int iterations = 1;        ///< of both allocators
  bool hold_switch = false;  ///< a packet keeps the switch until its tail
  bool voq = false;          ///< one queue per output at each input instead of VCs
};

/// Counters of one network. Bytes follow from flits: all flits of a stage are equally wide.
struct CrossbarCounters {
  std::uint64_t packets_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t flits_in = 0;
  std::uint64_t flits_out = 0;
  std::uint64_t held = 0;            // arrivals without room
  std::uint64_t blocked = 0;         // departures that the next hop withheld
  std::uint64_t blocked_cycles = 0;  // cycles that outputs waited for the next hop
  std::uint64_t conflicts = 0;       // grants with other packets bidding for the same output
  Histogram occupancy;               // flits in the VC at each arrival
};

/// `times` samples of `value` at once.
inline void add_samples(Histogram& histogram, std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  Histogram one;
  one.add(value);
  for (std::size_t i = 0; i < one.buckets.size(); ++i) histogram.buckets[i] += one.buckets[i] * times;
  histogram.samples += times;
  histogram.total += value * times;
  histogram.maximum = std::max(histogram.maximum, value);
}

/// What happens to an arriving packet.
struct CrossbarEntry {
  Cycle at;  ///< cycle in which the link is free again; `never` = held, a later CrossbarRelease names the end
  Cycle due;  ///< cycle in which the network has work because of it; `never` = none that it has not booked
  bool taken() const { return at != never; }
};

/// A packet to be sent in this cycle.
struct CrossbarGrant {
  Access* access;
  std::uint16_t vc;  ///< input VC it comes from
  std::uint16_t output;
  int flits;
};

/// A sender that was held: its link is free in `until`. input < 0: none.
struct CrossbarRelease {
  int input = -1;
  Cycle until = 0;
};

/// Common interface of all networks of a router stage, except for the packet path. Packet functions are not
/// virtual, so that routers can inline them.
class Crossbar {
 public:
  virtual ~Crossbar() = default;
  virtual bool drained() const = 0;
  /// Other sizes and timing of an empty network with the same ports.
  virtual void reshape(const CrossbarConfig& shape) = 0;
  virtual CrossbarCounters counters() const = 0;
  virtual void reset_counters() = 0;
  /// Cycles in which the output moved a flit.
  virtual std::uint64_t busy_cycles(int output) const = 0;
  /// Input whose packet waits at `output` for the next hop; -1: none.
  virtual int blocked_input(int output) const = 0;
  /// The packet for `output` that was born first, of those at the heads of inputs; null: there is none.
  virtual const Access* oldest_for(int output) const = 0;
  virtual int queued_flits(int input) const = 0;
  virtual int capacity() const = 0;
  /// Faults in the state after all work is done.
  virtual void check_idle(Faults& faults, const char* network) const = 0;
};

}  // namespace strata
