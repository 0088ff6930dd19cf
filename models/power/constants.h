#pragma once

#include <map>
#include <string>

#include "models/common/faults.h"
#include "models/power/interval.h"

namespace strata::power {

/// A number that the energy model stands on, with where it comes from.
struct Constant {
  Interval value;
  std::string unit;
  std::string source;    ///< document, table; or the reference rows
  std::string obtained;  ///< how: fitted, quoted, derived, chosen
  SourcePosition where;
};

/// The table of constants. A row reads
///     sm.fp32: {value: [20, 35, 60], unit: pJ, source: "...", obtained: "..."}
/// with the low, the nominal and the high value, or one for all three. Of negative numbers, low is the one
/// nearer to 0: the low case is every constant at its low.
class Constants {
 public:
  /// From YAML text; `file` is named in messages. Throws ConfigError with every fault.
  static Constants read(const std::string& text, const std::string& file);

  /// Throws ConfigError with the nearest name when there is none.
  const Constant& at(const std::string& name) const;
  const Interval& value(const std::string& name) const { return at(name).value; }
  bool has(const std::string& name) const { return rows_.count(name) != 0; }
  void set(const std::string& name, Constant constant) { rows_[name] = std::move(constant); }
  const std::map<std::string, Constant>& rows() const { return rows_; }
  const std::string& file() const { return file_; }

  /// Rows whose names begin with `prefix`, as read() takes them.
  std::string yaml(const std::string& prefix = "") const;

 private:
  std::map<std::string, Constant> rows_;
  std::string file_;
};

}  // namespace strata::power
