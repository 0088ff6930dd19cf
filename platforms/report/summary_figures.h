#pragma once

#include <string_view>
#include <vector>

#include "models/tlm/module_kind.h"

namespace strata::platforms {

/// A counter, or numerator or denominator of a ratio, of every instance that has a role.
struct Term {
  enum class Part { counter, numerator, denominator };
  Role role;
  std::string_view name;
  Part part = Part::counter;
};
using Terms = std::vector<Term>;

enum class Over { all, busiest, over_mean, gini };

/// Sum of terms, or quotient of two sums. The name `cycles` of no role is the length of the run.
struct Figure {
  std::string_view name, unit, sentence;
  Terms terms;
  Terms divisor = {};
  Over instances = Over::all;  // of the terms: their sum, or the most of one
  bool of_some = false;        // left out where no module counts it
};

/// The one place where figures of the summary meet the counters of the blocks.
const std::vector<Figure>& summary_figures();

}  // namespace strata::platforms
