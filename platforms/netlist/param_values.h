#pragma once

#include <map>
#include <string>

#include "models/common/params.h"

namespace strata::platforms {

/// Parameters of a block by name, as numbers where they are numbers: for whoever knows its role and no more.
struct ParamValues {
  explicit ParamValues(ParamSet& params);
  bool has(const std::string& name) const { return numbers.count(name) != 0 || texts.count(name) != 0; }
  double number(const std::string& name, double otherwise) const;
  std::string text(const std::string& name) const;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
};

}  // namespace strata::platforms
