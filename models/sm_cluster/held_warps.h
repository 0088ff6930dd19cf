#pragma once

#include <algorithm>
#include <array>

#include "models/sm_cluster/unit_times.h"

namespace strata {

/// Ready warps of one scheduler, by position, that found the units busy on which they execute next. They need
/// no turn until one is free.
class HeldWarps {
 public:
  bool any() const { return units_ != 0; }
  void hold(int position, Unit unit) {
    units_ |= 1U << static_cast<unsigned>(unit);
    warps_[static_cast<std::size_t>(unit)] |= bit(position);
  }
  /// Those of which a unit is free.
  std::uint64_t released(const UnitTimes& times, Cycle now) const {
    std::uint64_t warps = 0;
    for_each_unit([&](Unit unit) {
      if (times.free(unit) <= now) warps |= warps_[static_cast<std::size_t>(unit)];
    });
    return warps;
  }
  /// First cycle in which there are such.
  Cycle next_release(const UnitTimes& times) const {
    Cycle next = never;
    for_each_unit([&](Unit unit) { next = std::min(next, times.free(unit)); });
    return next;
  }
  /// It is not held any more: true when it was.
  bool let_go(int position) {
    bool held = false;
    for_each_unit([&](Unit unit) {
      std::uint64_t& warps = warps_[static_cast<std::size_t>(unit)];
      held = held || (warps & bit(position)) != 0;
      warps &= ~bit(position);
      if (warps == 0) units_ &= ~(1U << static_cast<unsigned>(unit));
    });
    return held;
  }
  /// A warp of `before` has another position now.
  void take_over(const HeldWarps& before, int from, int to) {
    before.for_each_unit([&](Unit unit) {
      if ((before.warps_[static_cast<std::size_t>(unit)] & bit(from)) != 0) hold(to, unit);
    });
  }

 private:
  static std::uint64_t bit(int position) { return std::uint64_t{1} << position; }
  template <class Visit>
  void for_each_unit(Visit&& visit) const {
    for (unsigned left = units_; left != 0; left &= left - 1) visit(static_cast<Unit>(__builtin_ctz(left)));
  }

  std::uint32_t units_ = 0;  // for which warps wait
  std::array<std::uint64_t, static_cast<std::size_t>(Unit::none)> warps_{};
};

}  // namespace strata
