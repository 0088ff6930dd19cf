#include "models/tlm/clock_edges.h"

#include <limits>
#include <numeric>

namespace strata {
namespace {

constexpr std::uint64_t femtoseconds_per_second = 1'000'000'000'000'000ULL;

using Wide = unsigned __int128;

}  // namespace

ClockEdges::ClockEdges(Hertz frequency) : frequency_(frequency) {
  const std::uint64_t common = std::gcd(femtoseconds_per_second, frequency.count);
  period_num_ = femtoseconds_per_second / common;
  period_den_ = frequency.count / common;
  narrow_ = static_cast<Wide>(period_num_) * period_den_ < std::numeric_limits<std::uint64_t>::max() / 4;
  const double period = static_cast<double>(period_num_) / static_cast<double>(period_den_);
  cycles_per_fs_ = 1.0 / period;
  round_up_ = 1.0 - 2.0 / period;
  phases_ = period_den_ <= most_phases ? period_den_ : 0;
  for (std::uint64_t phase = 0; phase < phases_; ++phase)
    for (std::uint64_t n = 0; n < table_cycles; ++n)
      spans_.push_back(sc_core::sc_time::from_value(at(phase + n) - at(phase)));
}

std::uint64_t ClockEdges::at(Cycle cycle) const {
  const std::uint64_t whole = cycle / period_den_;
  const std::uint64_t rest = cycle % period_den_;
  if (narrow_) return whole * period_num_ + (rest * period_num_ * 2 + period_den_) / (2 * period_den_);
  return whole * period_num_ +
         static_cast<std::uint64_t>((static_cast<Wide>(rest) * period_num_ * 2 + period_den_) /
                                    (2 * period_den_));
}

Cycle ClockEdges::last(std::uint64_t femtoseconds) const {
  if (narrow_) {
    const std::uint64_t part = femtoseconds % period_num_ * period_den_;
    const Cycle exact = femtoseconds / period_num_ * period_den_ + part / period_num_;
    // The edge after it may have been rounded down to this very femtosecond.
    return 2 * (period_num_ - part % period_num_) < period_den_ ? exact + 1 : exact;
  }
  Cycle cycle = static_cast<Cycle>(static_cast<Wide>(femtoseconds) * period_den_ / period_num_);
  while (at(cycle + 1) <= femtoseconds) ++cycle;
  while (cycle > 0 && at(cycle) > femtoseconds) --cycle;
  return cycle;
}

Cycle ClockEdges::first(std::uint64_t femtoseconds) const {
  const Cycle cycle = last(femtoseconds);
  return at(cycle) == femtoseconds ? cycle : cycle + 1;
}

}  // namespace strata
