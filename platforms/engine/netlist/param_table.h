#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace strata::platforms
