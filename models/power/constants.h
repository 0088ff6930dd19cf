#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "models/common/faults.h"

namespace strata::power {

/// A figure in three cases: every constant at its low, at its nominal and at its high value.
struct Interval {
  double low = 0;
  double nominal = 0;
  double high = 0;

  Interval& operator+=(const Interval& other) {
    low += other.low;
    nominal += other.nominal;
    high += other.high;
    return *this;
  }
};

inline Interval exactly(double value) {
  return {value, value, value};
}
inline Interval operator+(Interval a, const Interval& b) {
  return a += b;
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return {a.low - b.low, a.nominal - b.nominal, a.high - b.high};
}
inline Interval operator*(const Interval& a, double factor) {
  return {a.low * factor, a.nominal * factor, a.high * factor};
}
inline Interval operator*(const Interval& a, const Interval& b) {
  return {a.low * b.low, a.nominal * b.nominal, a.high * b.high};
}
/// Between `a` and `b`: `share` of the way.
inline Interval between(const Interval& a, const Interval& b, double share) {
  return a * (1 - share) + b * share;
}

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

/// Where a design is run. The reference is 22 nm, 0.8 V and 340 K.
struct Technology {
  double volts = 0.8;
  double kelvin = 340;
  double nanometres = 22;

  /// What energies of events are multiplied with.
  Interval energy(const Constants& constants) const;
  Interval leakage(const Constants& constants) const;
  Interval area(const Constants& constants) const;
};

}  // namespace strata::power
