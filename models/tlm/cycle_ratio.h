#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/common/reciprocal.h"
#include "models/common/units.h"

namespace strata {

/// Converts cycles of one clock straight into cycles of another, as the way over edges in femtoseconds does.
///
/// Both clocks have an edge at time 0 and edges rounded to whole femtoseconds. Where two edges that do not
/// coincide lie many femtoseconds apart, rounding cannot change their order: then cycle n of `from` falls on
/// n * to / from, exactly.
class CycleRatio {
 public:
  CycleRatio(Hertz from, Hertz to)
      : multiplier_(to.count / std::gcd(from.count, to.count)),
        divisor_(from.count / std::gcd(from.count, to.count)),
        limit_(exact(from, to) ? (Cycle{1} << 47) / multiplier_ : 0),
        reciprocal_(divisor_ < small ? divisor_ : 1) {}

  /// Whether up() and down() hold for this cycle.
  bool covers(Cycle cycle) const { return cycle < limit_; }
  /// First cycle of `to` whose edge is not before that of `cycle`.
  Cycle up(Cycle cycle) const { return reciprocal_.quotient(cycle * multiplier_ + divisor_ - 1); }
  /// Last cycle of `to` whose edge is not after that of `cycle`.
  Cycle down(Cycle cycle) const { return reciprocal_.quotient(cycle * multiplier_); }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t small = 65536;     // what Reciprocal divides by
  static constexpr std::uint64_t least_apart = 16;  // femtoseconds; ClockDomain::arrival() tolerates 2

  // Edges m of `from` and n of `to` lie |m * to - n * from| / (from * to) seconds apart, and the numerator is
  // a multiple of the greatest common divisor.
  bool exact(Hertz from, Hertz to) const {
    constexpr std::uint64_t femtoseconds = 1'000'000'000'000'000;
    const Wide apart = static_cast<Wide>(femtoseconds) * std::gcd(from.count, to.count);
    const Wide least = static_cast<Wide>(least_apart) * from.count * to.count;
    return std::max(divisor_, multiplier_) < small && apart > least;
  }

  std::uint64_t multiplier_;
  std::uint64_t divisor_;
  Cycle limit_;
  Reciprocal reciprocal_;
};

/// From all the clocks that one is asked about into that.
class CycleRatios {
 public:
  explicit CycleRatios(Hertz to) : to_(to), last_{to, CycleRatio(to, to)} {}
  const CycleRatio& from(Hertz from) const {
    return last_.from.count == from.count ? last_.ratio : other(from);
  }

 private:
  struct Known {
    Hertz from;
    CycleRatio ratio;
  };
  const CycleRatio& other(Hertz from) const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& known) { return known.from.count == from.count; });
    last_ = found != known_.end() ? *found : Known{from, CycleRatio(from, to_)};
    if (found == known_.end()) known_.push_back(last_);
    return last_.ratio;
  }

  Hertz to_;
  mutable Known last_;  // that was asked for
  mutable std::vector<Known> known_;
};

}  // namespace strata
