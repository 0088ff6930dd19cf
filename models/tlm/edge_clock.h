#pragma once

#include <systemc>

#include "models/tlm/clock_edges.h"

namespace strata {

/// The edges of a clock domain as a signal, for RTL and modules of others: it rises at each edge of a clock
/// of this frequency, exactly where the domain has it, and falls in the middle between two. `sc_clock` rounds
/// its period once and adds that up: at 1400 MHz it is 5 edges short after 10 ms.
///
/// Edges are rounded to the time resolution one by one, so their number is right at any resolution. Edge 0 is
/// at time 0, as an event too. It books nothing in the domain.
class EdgeClock final : public sc_core::sc_module {
 public:
  /// `frequency`: ClockDomain::frequency(), BuildContext::clock.frequency().
  EdgeClock(sc_core::sc_module_name name, Hertz frequency);

  sc_core::sc_signal<bool> signal{"signal"};  ///< to be bound where an sc_clock would be
  /// Notified at each edge, when the signal has its new value.
  const sc_core::sc_event& edge() const { return signal.posedge_event(); }
  /// The number of the last edge that was reached: the domain's cycle.
  Cycle cycle() const { return cycle_; }
  /// Where it is booked, in femtoseconds, whatever the time resolution.
  std::uint64_t booked_fs() const { return edges_.at(cycle_); }

 private:
  void turn();
  void book(std::uint64_t femtoseconds);

  ClockEdges edges_;
  std::uint64_t unit_;  // femtoseconds of the time resolution
  Cycle cycle_ = 0;
  Cycle next_cycle_ = 0;  // that of the next edge
  sc_core::sc_event next_;
};

}  // namespace strata
