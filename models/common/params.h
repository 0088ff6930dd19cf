#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/faults.h"
#include "models/common/named.h"
#include "models/common/units.h"

namespace strata {

/// Which whole numbers a parameter may take. Units and ranges are part of the generated docs.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int32_t>::max();
  bool power_of_two = false;
  bool or_zero = false;  ///< 0 too, where that is below `min`: none

  bool holds(std::int64_t value) const { return (or_zero && value == 0) || (value >= min && value <= max); }
  bool allows(std::int64_t value) const {
    return holds(value) && (!power_of_two || (value & (value - 1)) == 0) &&
           (value > 0 || !power_of_two || or_zero);
  }
};

/// What the docs, the dump and every message say of a parameter.
struct ParamInfo {
  std::string_view name;
  std::string_view unit;      ///< "cycles", "bytes", "ways", "" for names and switches
  std::string_view sentence;  ///< what it sets, in one sentence
};

/// Walks the parameters of a block. One walk feeds the YAML reader, `--set`, the dump of the effective
/// configuration, the generated docs and range checks. A visitor may write through the references.
class ParamVisitor {
 public:
  virtual ~ParamVisitor() = default;
  virtual void integer(const ParamInfo& info, int& field, Range range) = 0;
  virtual void bytes(const ParamInfo& info, Bytes& field, Range range) = 0;
  virtual void real(const ParamInfo& info, double& field, double min, double max) = 0;
  virtual void flag(const ParamInfo& info, bool& field) = 0;
  virtual void text(const ParamInfo& info, std::string& field) = 0;

  /// An enumeration: a row of `table` for each value, in the order in which docs and messages list them.
  template <class Enum, class Row = Named<Enum>, std::size_t Count>
  void choice(const ParamInfo& info, Enum& field, const Row (&table)[Count]) {
    int index = 0;  // behind the last row for a value without one: a fault
    while (index < static_cast<int>(Count) && table[index].value != field) ++index;
    choice_index(info, index, names_of(table));
    if (index < static_cast<int>(Count)) field = table[index].value;
  }
  /// A place in a list of names: for tables that are no enumerations.
  virtual void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) = 0;
};

/// Parameters of one block: a plain struct with defaults that derives from this.
class ParamSet {
 public:
  virtual ~ParamSet() = default;
  /// Visit every parameter, in the order in which docs and dumps show them.
  virtual void for_each_param(ParamVisitor& visitor) = 0;
  /// All faults that single ranges cannot express (cross-field rules); positions are filled in by the netlist
  /// from `Fault::where.file`, which here holds the NAME of the parameter to blame. `$.` in a message stands
  /// for the instance: "$.ways=8" becomes "l1.ways=8".
  virtual Faults validate() const { return {}; }
};

/// A fault of `validate()` in words: "l1.size: is ...".
std::string to_text(const Fault& of_validate, std::string_view instance);

/// A fault of `validate()`: blames parameter `name`.
Fault param_fault(std::string_view name, std::string message);

/// Throws ConfigError when a parameter lies outside its range or `validate()` finds faults: for users who
/// fill in the structs from C++.
void require_valid(ParamSet& params, std::string_view instance);

}  // namespace strata
