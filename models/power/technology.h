#pragma once

#include "models/power/constants.h"

namespace strata::power {

/// Where a design is run. The reference is 22 nm, 0.8 V and 340 K.
struct Technology {
  double volts = 0.8;
  double kelvin = 340;
  double nanometres = 22;

  /// What energies of events are multiplied with.
  Interval energy(const Constants& constants) const;
  Interval leakage(const Constants& constants) const;
  Interval area(const Constants& constants) const;
};

}  // namespace strata::power
