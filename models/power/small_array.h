#pragma once

#include "models/power/formula.h"

namespace strata::power {

/// Storage beside a cache: queues, predictors, tags beyond those of a plain cache.
struct SmallArray {
  double entries = 0;
  double bits = 0;  ///< of an entry

  double cells() const { return entries * bits; }
  /// As the tool lays tags out: a row an entry, but 16 at least and 96 at most.
  double rows() const;
  double columns() const { return cells() / rows(); }
};

/// mm2, mW, and nJ for each time that a row is read.
struct SmallArrayPower {
  Interval area, leakage, read;
  std::vector<OutOfRange> notes;
};

/// What the tool's arrays of tags are the rows of: cells, and what stands along columns.
const Formula<SmallArray>& small_array_area();

/// A row costs what a row of tags of as many columns does; cells leak as those of data arrays.
SmallArrayPower small_array_power(const SmallArray& array, const Constants& constants);

}  // namespace strata::power
