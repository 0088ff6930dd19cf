#pragma once

#include <vector>

#include <systemc>

#include "models/common/units.h"

namespace strata {

/// The edges of a clock, exactly: cycle n begins at round(n * 1e15 / frequency) femtoseconds.
class ClockEdges {
 public:
  explicit ClockEdges(Hertz frequency);

  Hertz frequency() const { return frequency_; }
  std::uint64_t at(Cycle cycle) const;
  /// Last cycle whose edge is not after `femtoseconds`; first one whose edge is not before.
  Cycle last(std::uint64_t femtoseconds) const;
  Cycle first(std::uint64_t femtoseconds) const;
  /// How many cycles after an edge the first one comes that is not before `femtoseconds` after that edge.
  Cycle cycles_in(std::int64_t femtoseconds) const {
    // Signed: conversions between double and unsigned take a branch. Delays stay below 2^63 fs, 2.5 hours.
    // Edges are rounded to whole femtoseconds: two of them of tolerance, far below any period.
    const double cycles = static_cast<double>(femtoseconds) * cycles_per_fs_ + round_up_;
    return static_cast<Cycle>(static_cast<std::int64_t>(cycles));
  }

  /// Place of a cycle in the pattern in which distances between edges repeat.
  std::size_t phase(Cycle cycle) const { return phases_ == 0 ? 0 : cycle % phases_; }
  /// Whether span() knows the time that so many cycles take.
  bool has_span(Cycle cycles) const { return cycles < table_cycles && phases_ != 0; }
  const sc_core::sc_time& span(std::size_t phase, Cycle cycles) const {
    return spans_[phase * table_cycles + cycles];
  }

 private:
  static constexpr std::size_t table_cycles = 64;
  static constexpr std::uint64_t most_phases = 16;  // clocks with a longer pattern have no table

  Hertz frequency_;
  std::uint64_t period_num_;  // period = num / den femtoseconds, reduced
  std::uint64_t period_den_;
  bool narrow_;  // conversions fit 64-bit arithmetic
  double cycles_per_fs_;
  double round_up_;
  std::size_t phases_;
  std::vector<sc_core::sc_time> spans_;
};

}  // namespace strata
