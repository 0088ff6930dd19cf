#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/params.h"

namespace strata::platforms {

struct NetlistSection;

/// One parameter as docs and dumps show it.
struct ParamRow {
  std::string name;
  std::string unit;
  std::string allowed;  ///< "1 to 64, a power of two", "true or false", "lru, fifo"
  std::string value;    ///< present value; `quoted` says that YAML needs quotes
  std::string sentence;
  bool quoted = false;
};

/// Every parameter with its present value, in the order of the visitor.
std::vector<ParamRow> list_params(ParamSet& params);

/// Works out an integer expression; empty with `problem` set when it cannot.
using IntegerReader =
    std::function<std::optional<std::int64_t>(const std::string& text, std::string& problem)>;

/// Sets every parameter that `section` has an entry for. Adds a fault for each value that is not allowed (the
/// parameter then keeps its value) and for each entry that names no parameter; `other_keys` are allowed
/// besides.
void read_params(ParamSet& params, const NetlistSection& section, const std::vector<std::string>& other_keys,
                 const IntegerReader& integers, Faults& faults);

/// Faults of parameters as validate() gives them, with the places of the entries that set those to blame.
void check_params(const Faults& found, const std::string& prefix, const NetlistSection& section,
                  const NetlistSection* base, Faults& faults);

/// `text` in double quotes, escaped for YAML.
std::string yaml_quoted(const std::string& text);

}  // namespace strata::platforms
