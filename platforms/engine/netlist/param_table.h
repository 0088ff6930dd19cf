#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata::platforms {

struct NetlistSection;

/// One parameter, as shown in docs and dumps.
struct ParamRow {
  std::string name;
  std::string unit;
  std::string allowed;  ///< "1 to 64, a power of two", "true or false", "lru, fifo"
  std::string value;    ///< present value; `quoted`: YAML needs quotes
  std::string sentence;
  bool quoted = false;
};

/// Every parameter with its present value, in the order of the visitor.
std::vector<ParamRow> list_params(ParamSet& params);

/// Evaluates an integer expression; empty, with `problem` set, if it cannot.
using IntegerReader =
    std::function<std::optional<std::int64_t>(const std::string& text, std::string& problem)>;

/// Sets every parameter that has an entry in `section`. Adds a fault for each value that is not allowed (the
/// parameter keeps its value) and for each entry that names no parameter; `other_keys` are allowed too.
void read_params(ParamSet& params, const NetlistSection& section, const std::vector<std::string>& other_keys,
                 const IntegerReader& integers, Faults& faults);

/// Adds the faults of validate(), with the positions of the entries that set the parameters to blame.
void check_params(const Faults& found, const std::string& prefix, const NetlistSection& section,
                  const NetlistSection* base, Faults& faults);

/// `text` in double quotes, escaped for YAML.
std::string yaml_quoted(const std::string& text);

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
