#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

/// Comparisons of two lanes.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

constexpr float least_normal = 1.17549435e-38f;

/// `.ftz`: numbers below the least normal one become 0 of their sign.
inline float flushed(float x) {
  return std::fabs(x) < least_normal ? std::copysign(0.0f, x) : x;
}
template <class T>
inline bool not_a_number(T x) {
  return x != x;
}
/// Those that end in `u` are true when a side is not a number.
template <class T>
struct Compare {
  static bool eq(T a, T b) { return a == b; }
  static bool ne(T a, T b) { return num(a, b) && a != b; }
  static bool lt(T a, T b) { return a < b; }
  static bool le(T a, T b) { return a <= b; }
  static bool gt(T a, T b) { return a > b; }
  static bool ge(T a, T b) { return a >= b; }
  static bool equ(T a, T b) { return !num(a, b) || a == b; }
  static bool neu(T a, T b) { return a != b; }
  static bool ltu(T a, T b) { return !(a >= b); }
  static bool leu(T a, T b) { return !(a > b); }
  static bool gtu(T a, T b) { return !(a <= b); }
  static bool geu(T a, T b) { return !(a < b); }
  static bool num(T a, T b) { return !not_a_number(a) && !not_a_number(b); }
  static bool nan(T a, T b) { return !num(a, b); }
};
template <class T>
struct Comparison {
  const char* name;
  bool (*f)(T, T);
};
template <class T>
constexpr Comparison<T> comparisons[] = {
    {"eq", Compare<T>::eq},   {"ne", Compare<T>::ne},   {"lt", Compare<T>::lt},   {"le", Compare<T>::le},
    {"gt", Compare<T>::gt},   {"ge", Compare<T>::ge},   {"equ", Compare<T>::equ}, {"neu", Compare<T>::neu},
    {"ltu", Compare<T>::ltu}, {"leu", Compare<T>::leu}, {"gtu", Compare<T>::gtu}, {"geu", Compare<T>::geu},
    {"num", Compare<T>::num}, {"nan", Compare<T>::nan}};
using AllComparisons = std::make_index_sequence<sizeof(comparisons<float>) / sizeof(comparisons<float>[0])>;
using OrderedComparisons = std::make_index_sequence<6>;  ///< the first ones, which integers have too

}  // namespace
}  // namespace strata::traces::ptx
