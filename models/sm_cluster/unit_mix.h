#pragma once

#include <algorithm>
#include <array>

#include "models/sm_cluster/unit_timing.h"

namespace strata {

/// How many instructions execute on which units, of those that a record stands for. As a word: eight bits a
/// unit, in the order of Unit.
class UnitMix {
 public:
  explicit UnitMix(const WarpInstruction& i) {
    unsigned left = i.weight != 0 ? i.weight : 1;
    for (std::size_t k = 0; k < counted_units && i.op != OpClass::sfu; ++k) {
      const unsigned here = std::min<unsigned>(i.units[k], left);
      add(static_cast<Unit>(static_cast<std::size_t>(Unit::sp) + k), here);
      left -= here;
    }
    add(i.op == OpClass::sfu ? Unit::sfu : i.op == OpClass::alu ? Unit::integer : Unit::none, left);
  }
  explicit UnitMix(std::uint64_t word) : word_(word) {}

  std::uint64_t word() const { return word_; }
  unsigned count(Unit unit) const { return word_ >> 8 * static_cast<unsigned>(unit) & 0xff; }
  /// `visit(unit, count)` for each unit that has some.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint64_t left = word_; left != 0;) {
      const unsigned place = static_cast<unsigned>(__builtin_ctzll(left)) / 8;
      visit(static_cast<Unit>(place), static_cast<unsigned>(left >> 8 * place & 0xff));
      left &= ~(std::uint64_t{0xff} << 8 * place);
    }
  }
  bool is_single() const {
    int units = 0;
    for_each([&](Unit, unsigned) { ++units; });
    return units == 1;
  }
  /// Some can find their unit busy.
  bool can_wait(const UnitTimings& timings) const {
    bool found = false;
    for_each([&](Unit unit, unsigned) { found = found || timings[unit].can_be_busy(); });
    return found;
  }
  /// The one whose results take longest.
  Unit slowest(const UnitTimings& timings) const {
    Unit slowest = Unit::none;
    for_each([&](Unit unit, unsigned) {
      if (slowest == Unit::none || timings[unit].latency > timings[slowest].latency) slowest = unit;
    });
    return slowest;
  }

 private:
  void add(Unit unit, unsigned count) { word_ |= std::uint64_t{count} << 8 * static_cast<unsigned>(unit); }

  std::uint64_t word_ = 0;
};

}  // namespace strata
