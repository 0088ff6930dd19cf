#pragma once

#include "traces/ptx/lanes/lane_real.h"

/// Results of the approximate functions: computed in double precision and rounded once, the same on every
/// machine.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

inline double exp2_of(double x) {
  x = x > -1080 ? x : -1080;  // NaN as well: the caller keeps it
  x = x > 1100 ? 1100 : x;
  const double n = (x + 6755399441055744.0) - 6755399441055744.0, r = (x - n) * 0.693147180559945309417;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const s64 e = static_cast<s32>(n);
  const s64 half = e >> 1;
  return p * as<double>((half + 1023) << 52) * as<double>((e - half + 1023) << 52);
}
inline float log2_of(float a) {
  const double x = a;  // subnormals are normal here
  const s64 bits = as<s64>(x);
  const s64 shifted = static_cast<s64>(
      static_cast<u64>(bits) - 0x3fe6a09e667f3bcd);  // so that the mantissa lies in sqrt(1/2) .. sqrt(2)
  const auto e = static_cast<s32>(shifted >> 52);
  const double m = as<double>(static_cast<u64>(bits) - (static_cast<u64>(static_cast<s64>(e)) << 52));
  const double t = (m - 1) / (m + 1), q = t * t;
  double p = 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  return static_cast<float>(e + 2 * t * p * 1.44269504088896340736);
}
template <bool Cosine>
inline float trigonometric(float a) {
  const double x = a, k = (x * 0.63661977236758134308 + 6755399441055744.0) - 6755399441055744.0;
  const double r = (x - k * 1.57079632673412561417) - k * 6.07710050650619224932e-11, q = r * r;
  double s = -1.0 / 39916800, c = 1.0 / 479001600;
  s = s * q + 1.0 / 362880;
  s = s * q - 1.0 / 5040;
  s = s * q + 1.0 / 120;
  s = s * q - 1.0 / 6;
  s = s * q * r + r;
  c = c * q - 1.0 / 3628800;
  c = c * q + 1.0 / 40320;
  c = c * q - 1.0 / 720;
  c = c * q + 1.0 / 24;
  c = c * q - 0.5;
  c = c * q + 1;
  const s64 n = as<s64>(k + 6755399441055744.0) + (Cosine ? 1 : 0);
  const double v = (n & 1) != 0 ? c : s;
  const bool far = !(std::fabs(x) < 1e9);
  return far ? (Cosine ? static_cast<float>(std::cos(x)) : static_cast<float>(std::sin(x)))
             : static_cast<float>((n & 2) != 0 ? -v : v);
}

/// What one lane computes, in single precision.
struct Approximate {
  static float exp2(float a) { return not_a_number(a) ? a : static_cast<float>(exp2_of(a)); }
  static float log2(float a) {
    const float r = log2_of(a);
    return a > 0 ? (a <= 3.402823466e38f ? r : a) : a == 0 ? -HUGE_VALF : as<float>(0x7fffffffu);
  }
  static float sine(float a) { return trigonometric<false>(a); }
  static float cosine(float a) { return trigonometric<true>(a); }
  static float tanh(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};

}  // namespace
}  // namespace strata::traces::ptx
