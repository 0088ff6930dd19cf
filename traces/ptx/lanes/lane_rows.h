#pragma once

#include <type_traits>
#include <utility>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "traces/ptx/execute/warp.h"
#include "traces/ptx/lanes/handler_rows.h"

/// Loops over rows of 32 lanes. All of it is in an unnamed namespace: files that are compiled once per
/// instruction set include it, and the linker would keep only one copy of a named function.
namespace strata::traces::ptx {
namespace {

template <class To, class From>
inline To as(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

/// Calls body(lane) for 32 independent lanes.
template <class Body>
[[gnu::always_inline]] inline void for_lanes(Body body) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int i = 0; i < 32; ++i) body(i);
}

/// Writes `value(i)` to the active lanes of row `d`.
template <class T, class Value>
[[gnu::always_inline]] inline void write(const Warp& w, T* d, Value value) {
  if (w.mask == all_lanes) {
    for_lanes([&](int i) { d[i] = value(i); });
  } else {
    const s32* m = w.lane_mask;
    for_lanes([&](int i) {
      const T result = value(i);
      d[i] = m[i] != 0 ? result : d[i];
    });
  }
}
template <class T>
inline void put(const Warp& w, Row to, const T* result) {
  write(w, row_of<T>(w, to), [=](int i) { return result[i]; });
}
inline void put_predicate(const Warp& w, Row to, u32 bits) {
  u32& d = *row_of<u32>(w, to);
  d = (d & ~w.mask) | (bits & w.mask);
}
inline u32 predicate(const Warp& w, Row from, bool negated) {
  return *row_of<u32>(w, from) ^ (negated ? all_lanes : 0);
}
/// Combines a comparison's result with the predicate operand, if there is one.
inline u32 combine(const Warp& w, const Op* op, u32 value) {
  if (op->code == 0) return value;
  const u32 c = predicate(w, op->c, (op->flags & negate_c) != 0);
  return op->code == 1 ? value & c : op->code == 2 ? value | c : value ^ c;
}
/// Writes a comparison's result to `d` and its inverse to `d2`.
inline const Op* put_comparison(const Warp& w, const Op* op, u32 yes) {
  if (op->d != no_row) put_predicate(w, op->d, combine(w, op, yes));
  if (op->d2 != no_row) put_predicate(w, op->d2, combine(w, op, ~yes));
  return op + 1;
}

/// Converts lanes of 0 or -1 to bits.
inline u32 to_bits(const s32* lanes) {
  u32 bits = 0;
#ifdef __SSE2__
  for (int i = 0; i < 32; i += 16) {
    const auto* p = reinterpret_cast<const __m128i*>(lanes + i);
    const __m128i low = _mm_packs_epi32(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
    const __m128i high = _mm_packs_epi32(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
    bits |= static_cast<u32>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
#else
  for (int i = 0; i < 32; ++i) bits |= static_cast<u32>(lanes[i] & 1) << i;
#endif
  return bits;
}

constexpr Row Op::*source_rows[] = {&Op::a, &Op::b, &Op::c};

/// Handler that maps a function of one lane over its rows.
template <auto F>
struct Lanes;
template <class D, class... A, D (*F)(A...)>
struct Lanes<F> {
  static constexpr Signature signature = make_signature<D, A...>();
  static const Op* map(Warp& w, const Op* op) { return mapped(w, op, std::index_sequence_for<A...>()); }

 private:
  template <std::size_t... N>
  static const Op* mapped(const Warp& w, const Op* op, std::index_sequence<N...>) {
    return written(w, op, static_cast<const A*>(row_of<A>(w, op->*source_rows[N]))...);
  }
  static const Op* written(const Warp& w, const Op* op, const A*... a) {
    write(w, row_of<D>(w, op->d), [=](int i) { return F(a[i]...); });
    return op + 1;
  }
};
/// Calls `F` with as many values as it takes.
template <auto F, class T>
[[gnu::always_inline]] inline auto call(T a, T b, T c) {
  if constexpr (std::is_invocable_v<decltype(F), T, T, T>)
    return F(a, b, c);
  else if constexpr (std::is_invocable_v<decltype(F), T, T>)
    return F(a, b);
  else
    return F(a);
}
/// Table row of a function of one lane.
template <auto F, class... Parts>
constexpr HandlerEntry row(Parts... parts) {
  return make_row(Lanes<F>::map, Lanes<F>::signature, parts...);
}

}  // namespace
}  // namespace strata::traces::ptx
