#pragma once

#include "models/power/formula.h"

namespace strata::power {

/// A link on global wires of least width and spacing.
struct LinkShape {
  double bits = 256;
  double length_mm = 1;
  double segments = 2;  ///< repeaters, one behind the other
  double size = 1;      ///< of a repeater, in cells of the least size
};

/// Areas in um2, leakage in mW, energy in pJ for each flit, delay in ns.
struct LinkPower {
  LinkShape shape;  ///< with the repeaters that were chosen
  Interval area_repeaters, area_wires, leakage, flit, delay;
  bool in_time = true;
  std::vector<OutOfRange> notes;
};

const std::vector<Formula<LinkShape>>& link_formulas();

class LinkModel {
 public:
  explicit LinkModel(const Constants& constants);
  /// With the fewest repeaters, and of these the smallest, that meet the delay.
  LinkPower operator()(double bits, double length_mm, double delay_ns) const;

 private:
  std::vector<Fitted<LinkShape>> figures_;
};

}  // namespace strata::power
