#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "traces/ptx/lanes/lane_rows.h"

/// Comparisons of two lanes.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

constexpr float least_normal = 1.17549435e-38f;

/// `.ftz`: numbers below the least normal one become 0 with their sign.
inline float flushed(float x) {
  return std::fabs(x) < least_normal ? std::copysign(0.0f, x) : x;
}
template <class T>
inline bool not_a_number(T x) {
  return x != x;
}
/// Comparisons that end in `u` are true if a side is not a number.
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
using OrderedComparisons = std::make_index_sequence<6>;  ///< the comparisons that integers have

// `setp` and `set` for all comparisons of a type.

/// f32 with `op->offset` flushes subnormal numbers (`.ftz`).
template <class T>
[[gnu::always_inline]] inline void flush_rows(const Op* op, const T*& a, const T*& b, T (&normal)[2][32]) {
  if constexpr (std::is_same<T, float>::value) {
    if (op->offset == 0) return;
    for_lanes([&](int i) { normal[0][i] = flushed(a[i]); });
    for_lanes([&](int i) { normal[1][i] = flushed(b[i]); });
    a = normal[0];
    b = normal[1];
  }
}

template <class T, bool (*F)(T, T)>
const Op* set_predicate(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  alignas(64) s32 lanes[32];
  alignas(64) T normal[2][32];
  flush_rows(op, a, b, normal);
  for_lanes([&](int i) { lanes[i] = F(a[i], b[i]) ? -1 : 0; });
  return put_comparison(w, op, to_bits(lanes));
}
/// All ones where true; 1.0 with `op->code`.
template <class T, bool (*F)(T, T)>
const Op* set_word(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  alignas(64) T normal[2][32];
  flush_rows(op, a, b, normal);
  const u32 yes = op->code != 0 ? 0x3f800000u : all_lanes;
  alignas(64) u32 result[32];
  for_lanes([&](int i) { result[i] = F(a[i], b[i]) ? yes : 0; });
  put(w, op->d, result);
  return op + 1;
}

template <class T, std::size_t... N>
void add_setp(HandlerTable& table, std::index_sequence<N...>) {
  static constexpr HandlerEntry rows[] = {make_row(set_predicate<T, comparisons<T>[N].f>,
                                                   make_signature<bool, T, T>(), "setp.",
                                                   comparisons<T>[N].name, ".", type_name<T>)...};
  add(table, rows);
}
template <class T, std::size_t... N>
void add_set(HandlerTable& table, std::index_sequence<N...>) {
  static constexpr HandlerEntry rows[] = {make_row(set_word<T, comparisons<T>[N].f>,
                                                   make_signature<u32, T, T>(), "set.",
                                                   comparisons<T>[N].name, ".", type_name<T>)...};
  add(table, rows);
}

}  // namespace
}  // namespace strata::traces::ptx
