#pragma once

#include <cmath>

#include "traces/ptx/lanes/handler_rows.h"

namespace strata::traces::ptx {

/// A binary format of `Bits` significand bits (without the hidden one) and largest exponent `Bias`.
template <int Bits, int Bias>
struct Format {
  static double widen(u16 h) {
    const int e = h >> Bits & (2 * Bias + 1), m = h & ((1 << Bits) - 1);
    double v;
    if (e == 2 * Bias + 1)
      v = m != 0 ? NAN : HUGE_VAL;
    else if (e == 0)
      v = std::ldexp(m, 1 - Bias - Bits);
    else
      v = std::ldexp(m | 1 << Bits, e - Bias - Bits);
    return (h & 0x8000) != 0 ? -v : v;
  }
  /// `Mode` as in the code of a conversion: 0 nearest even, 1 towards zero, 2 down, 3 up.
  template <int Mode = 0>
  static u16 narrow(double x) {
    const bool negative = std::signbit(x);
    const u16 sign = negative ? 0x8000 : 0;
    const bool away = Mode == 2 ? negative : Mode == 3 && !negative;
    if (x != x) return 0x7fff;
    x = std::fabs(x);
    const u16 infinite = static_cast<u16>((2 * Bias + 1) << Bits);
    if (x == HUGE_VAL) return sign | infinite;
    if (x == 0) return sign;
    int e;
    std::frexp(x, &e);  // x = f * 2^e, f in [0.5, 1)
    const int exponent = e - 1 < 1 - Bias ? 1 - Bias : e - 1;
    const double exact = std::ldexp(x, Bits - exponent);
    const double scaled = Mode == 0 ? std::nearbyint(exact) : away ? std::ceil(exact) : std::floor(exact);
    const auto whole = static_cast<u32>(scaled);
    const u32 bits = static_cast<u32>((exponent + Bias - 1) << Bits) + whole;
    return static_cast<u16>(sign | (bits < infinite ? bits : Mode == 0 || away ? infinite : infinite - 1u));
  }
};
struct Half : Format<10, 15> {
  static constexpr const char* name = "f16";
};
struct Brain : Format<7, 127> {
  static constexpr const char* name = "bf16";
};

}  // namespace strata::traces::ptx
