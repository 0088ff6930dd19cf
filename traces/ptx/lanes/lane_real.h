#pragma once

#include <cmath>

#include "traces/ptx/lanes/lane_compare.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// `.sat`; NaN gives +0.
template <class T>
inline T clamped(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}

#ifdef __FMA__
inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
#else
/// Exact product; the sum is rounded to odd in double precision, then to single, which equals one rounding
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
inline float fused(float a, float b, float c) {
  const double p = static_cast<double>(a) * b, s = p + c;
  const double t = s - p, e = (p - (s - t)) + (static_cast<double>(c) - t);
  u64 bits = as<u64>(s);
  const bool inexact = e > 0 || e < 0;
  const u64 step = (e > 0) == (s > 0) ? u64{1} : ~u64{0};
  bits = inexact && (bits & 1) == 0 ? bits + step : bits;
  return static_cast<float>(as<double>(bits));
}
#endif
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// Floating-point functions of one lane.
template <class T>
struct Real {
  static T add(T a, T b) { return a + b; }
  static T subtract(T a, T b) { return a - b; }
  static T multiply(T a, T b) { return a * b; }
  static T divide(T a, T b) { return a / b; }
  static T multiply_add(T a, T b, T c) { return fused(a, b, c); }
  static T negate(T a) { return -a; }
  static T absolute(T a) { return std::fabs(a); }
  static T copy_sign(T a, T b) { return std::copysign(b, a); }  // sign of a, magnitude of b
  static T reciprocal(T a) { return T(1) / a; }
  static T root(T a) { return std::sqrt(a); }
  static T reciprocal_root(T a) { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }
  static T saturated(T a) { return clamped(a); }
  static T min(T a, T b) { return not_a_number(a) ? b : not_a_number(b) ? a : less(a, b) ? a : b; }
  static T max(T a, T b) { return not_a_number(a) ? b : not_a_number(b) ? a : less(a, b) ? b : a; }
  static T min_nan(T a, T b) { return not_a_number(a) ? a : not_a_number(b) ? b : less(a, b) ? a : b; }
  static T max_nan(T a, T b) { return not_a_number(a) ? a : not_a_number(b) ? b : less(a, b) ? b : a; }

 private:
  static bool less(T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }
};

/// A function with flushed sources,
template <auto F>
struct Flushed;
template <class... A, float (*F)(A...)>
struct Flushed<F> {
  static float f(A... a) { return F(flushed(a)...); }
};
/// with a flushed result as well,
template <auto F>
struct FlushedAll;
template <class... A, float (*F)(A...)>
struct FlushedAll<F> {
  static float f(A... a) { return flushed(F(flushed(a)...)); }
};
/// with a result clamped to [0, 1].
template <auto F>
struct Saturated;
template <class T, class... A, T (*F)(A...)>
struct Saturated<F> {
  static T f(A... a) { return clamped(F(a...)); }
};

}  // namespace
}  // namespace strata::traces::ptx
