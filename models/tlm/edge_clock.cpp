#include "models/tlm/edge_clock.h"

#include <cmath>

namespace strata {

EdgeClock::EdgeClock(sc_core::sc_module_name name, Hertz frequency)
    : sc_module(name),
      edges_(frequency),
      unit_(static_cast<std::uint64_t>(std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15))) {
  if (edges_.at(1) < 4 * unit_)
    SC_REPORT_FATAL(this->name(), "the time resolution is too coarse for edges of this clock");
  SC_HAS_PROCESS(EdgeClock);
  SC_METHOD(turn);
  sensitive << next_;  // and once at the start
}

// At the start of the simulation, then in the middle of each cycle and at its end.
void EdgeClock::turn() {
  const bool rises = !signal.read();
  signal.write(rises);
  if (!rises) return book(edges_.at(next_cycle_));
  cycle_ = next_cycle_++;
  const std::uint64_t from = edges_.at(cycle_);
  book(from + (edges_.at(next_cycle_) - from) / 2);
}

void EdgeClock::book(std::uint64_t femtoseconds) {
  const std::uint64_t at = (femtoseconds + unit_ / 2) / unit_;
  next_.notify(sc_core::sc_time::from_value(at - sc_core::sc_time_stamp().value()));
}

}  // namespace strata
