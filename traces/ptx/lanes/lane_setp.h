#pragma once

#include <type_traits>
#include <utility>

#include "traces/ptx/lanes/lane_compare.h"
#include "traces/ptx/lanes/lane_rows.h"

/// `setp` and `set` of all comparisons of a type.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// Of f32 with `op->offset` subnormal numbers are flushed (`.ftz`).
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
/// All ones where true; with `op->code` 1.0.
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
