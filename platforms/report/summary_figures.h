#pragma once

#include <string_view>
#include <vector>

#include "models/tlm/module_kind.h"

namespace strata::platforms {

/// A counter, or numerator or denominator of a ratio, of every instance of a role.
struct Term {
  enum class Part { counter, numerator, denominator };
  Role role;
  std::string_view name;
  Part part = Part::counter;
};
using Terms = std::vector<Term>;

enum class Over { all, busiest, over_mean, gini };

/// Sum of terms, or quotient of two sums. The name `cycles` without a role is the length of the run.
struct Figure {
  std::string_view name, unit, sentence;
  Terms terms;
  Terms divisor = {};
  Over instances = Over::all;  // over instances: sum or maximum of the terms
  bool of_some = false;        // left out if no module counts it
};

/// The one table that maps counters of blocks to figures of the summary.
const std::vector<Figure>& summary_figures();

}  // namespace strata::platforms
