#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata::platforms {

/// Parameters of a block by name, as numbers if they are numbers: for code that knows only the role of the
/// block.
struct ParamValues {
  explicit ParamValues(ParamSet& params);
  bool has(const std::string& name) const { return numbers.count(name) != 0 || texts.count(name) != 0; }
  double number(const std::string& name, double otherwise) const;
  std::string text(const std::string& name) const;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
};

/// Shape of a cache from its parameters `size`, `ways`, `line`, `set_index`, `homes` and `home_run`.
struct CacheShape {
  std::uint64_t line = 0, sets = 0;  ///< line in bytes
  int ways = 1;
  std::optional<SetIndex::Kind> set_index;  ///< empty: not stated
  HomeInterleave shared;
};
/// `line_bytes` applies if the cache has no `line`. Empty without a size and ways.
std::optional<CacheShape> cache_shape(const ParamValues& values, std::uint64_t line_bytes);

}  // namespace strata::platforms
