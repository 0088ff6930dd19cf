#pragma once

#include <array>

#include "models/common/instruction_source.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// How the units of one class execute instructions.
struct UnitTiming {
  Cycle latency = 1;   ///< from issue to the issue of a dependent instruction
  Cycle interval = 0;  ///< between two instructions on one unit
  unsigned units = 1;  ///< of each scheduler

  /// A scheduler, which issues at most one instruction a cycle, can find all of them busy.
  bool can_be_busy() const { return interval > units; }
};

/// All classes of an SM. Instructions without a unit have the latency of arithmetic.
class UnitTimings {
 public:
  explicit UnitTimings(const SmClusterParams& params) {
    const auto cycles = [](int n) { return static_cast<Cycle>(n); };
    timings_.fill({cycles(params.alu_latency), 0, 1});
    std::size_t unit = 0;
    for (const UnitParams* const of : params.units())
      timings_[unit++] = {cycles(of->latency != 0 ? of->latency : params.alu_latency), cycles(of->interval),
                          static_cast<unsigned>(of->units)};
    timings_[static_cast<std::size_t>(Unit::shared)] = {cycles(params.shared_latency), 1, 1};
  }
  const UnitTiming& operator[](Unit unit) const { return timings_[static_cast<std::size_t>(unit)]; }
  /// A bit for each class that can be busy.
  std::uint8_t busy() const {
    unsigned bits = 0;
    for (std::size_t unit = 0; unit < static_cast<std::size_t>(Unit::none); ++unit)
      bits |= static_cast<unsigned>(timings_[unit].can_be_busy()) << unit;
    return static_cast<std::uint8_t>(bits);
  }

 private:
  std::array<UnitTiming, static_cast<std::size_t>(Unit::count_)> timings_;
};

/// The unit of an instruction that is no access; of one that stands for several, where they have one.
inline Unit unit_of(const WarpInstruction& i) {
  if (i.op == OpClass::sfu) return Unit::sfu;
  for (std::size_t k = 0; k < counted_units; ++k)
    if (i.units[k] != 0) return static_cast<Unit>(static_cast<std::size_t>(Unit::sp) + k);
  return i.op == OpClass::alu ? Unit::integer : Unit::none;
}

}  // namespace strata
