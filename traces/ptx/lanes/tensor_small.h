#pragma once

#include <array>

#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/tensor_code.h"

/// Floats of 8, 6 and 4 bits, which tensor cores take as bytes.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// A number of `fraction` bits of fraction and two or three of exponent, in six bits; it has no infinities.
inline u16 half_of_six(u32 bits, int fraction, int bias) {
  const int exponent = static_cast<int>((bits & 31) >> fraction),
            part = static_cast<int>(bits & ((1U << fraction) - 1));
  const double size = std::ldexp(part + (exponent != 0 ? 1 << fraction : 0),
                                 (exponent != 0 ? exponent : 1) - bias - fraction);
  return static_cast<u16>(Half::narrow(size) | (bits & 0x20) << 10);
}
/// e4m3, e5m2 and those of fewer bits are made f16 first, as the machine does.
inline u16 half_of_quarter(Element e, u32 bits) {
  if (e == Element::e5m2) return static_cast<u16>(bits << 8);
  if (e == Element::e3m2) return half_of_six(bits, 2, 3);
  if (e == Element::e2m3) return half_of_six(bits, 3, 1);
  if (e == Element::e2m1)
    return half_of_six(bits & 0x3c, 3, 1);  // e2m3 whose last two bits of fraction are 0
  if ((bits & 0x7f) == 0x7f) return static_cast<u16>((bits & 0x80) << 8 | 0x7fff);
  const double value = std::ldexp(static_cast<double>((bits & 7) + ((bits & 0x78) != 0 ? 8 : 0)),
                                  static_cast<int>((bits & 0x78) != 0 ? bits >> 3 & 15 : 1) - 10);
  return static_cast<u16>(Half::narrow(value) | (bits & 0x80) << 8);
}

constexpr u32 first_quarter = static_cast<u32>(Element::e4m3);
static_assert(static_cast<u32>(Element::e2m1) == first_quarter + 4,
              "floats in eight bits stand side by side");
/// What the numbers of eight bits are as f16.
inline const std::array<u16, 256>& halves_of_quarters(Element type) {
  static const auto tables = [] {
    std::array<std::array<u16, 256>, 5> all;
    for (u32 e = 0; e < all.size(); ++e)
      for (u32 bits = 0; bits < 256; ++bits)
        all[e][bits] = half_of_quarter(static_cast<Element>(first_quarter + e), bits);
    return all;
  }();
  return tables[static_cast<u32>(type) - first_quarter];
}

inline bool of_quarters(Element e) {
  return e >= Element::e4m3 && e <= Element::e2m1;
}

}  // namespace
}  // namespace strata::traces::ptx
