#pragma once

#include "models/power/formula.h"

namespace strata::power {

/// Every coefficient of the formulas, at 1.
template <class Shape>
void add_ones(Constants& table, const std::vector<Formula<Shape>>& formulas) {
  for (const Formula<Shape>& formula : formulas)
    for (const Term<Shape>& term : formula.terms)
      table.set(formula.name + "." + term.name, {exactly(1), formula.unit, "a test", "chosen", {}});
}

inline void set(Constants& table, const std::string& name, double value) {
  table.set(name, {exactly(value), table.at(name).unit, "a test", "chosen", {}});
}

}  // namespace strata::power
