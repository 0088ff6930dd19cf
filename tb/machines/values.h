#pragma once

#include <string>
#include <vector>

#include "models/common/params.h"
#include "tb/machines/random.h"

namespace strata::tb {

/// A parameter with a value that its documented range allows.
struct DrawnValue {
  std::string name;
  std::string unit;
  std::string text;  ///< empty: a name, whose choices no range tells
};

/// Such a value for every parameter: often near its present one, sometimes anywhere, sometimes at an end of
/// the range.
std::vector<DrawnValue> draw_values(ParamSet& params, Random& random);

}  // namespace strata::tb
