#pragma once

#include <algorithm>

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

}  // namespace strata::power
