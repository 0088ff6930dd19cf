#include "models/power/small_array.h"

#include <algorithm>

namespace strata::power {

double SmallArray::rows() const {
  return std::min(96.0, std::max(16.0, entries));
}

const Formula<SmallArray>& small_array_area() {
  static const Formula<SmallArray> formula = {"sram_small.area",
                                              "mm2",
                                              "cells, and sense amplifiers and drivers of columns",
                                              {{"bit", [](const SmallArray& a) { return a.cells(); }},
                                               {"column", [](const SmallArray& a) { return a.columns(); }}}};
  return formula;
}

SmallArrayPower small_array_power(const SmallArray& array, const Constants& constants) {
  SmallArrayPower power;
  if (array.cells() <= 0) return power;
  power.area = Fitted<SmallArray>(small_array_area(), constants)(array);
  power.leakage = constants.value("sram_1rw.leakage.bit") * array.cells();
  // The formulas of SRAMs count the columns of one of four subarrays.
  power.read = constants.value("sram_1rw.read.tag_column") * (array.columns() / 4);
  check_range(power.notes, "bits of a small array", array.cells(), 3840, 29696);
  return power;
}

}  // namespace strata::power
