#pragma once

#include <algorithm>
#include <cmath>

#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

/// How the tensor cores of an H100 add products of floats up. Found by running chosen and random operands
/// there (tb/data/ptx/gpu); it agrees with M. Khattak and M. Mikaitis, "Accurate models of NVIDIA tensor
/// cores" (2025). In docs/ptx.md, "Matrices", in words.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// sig * 2^(exponent - fraction bits of its format).
struct Part {
  s32 sig = 0;
  s32 exponent = 0;
};
/// Of the value 0: behind every other.
constexpr s32 no_exponent = -100000;
constexpr int kept_bits = 25;         ///< below the largest term
constexpr s32 least_exponent = -133;  ///< that the largest term counts with

enum class Kind : u8 { finite, infinite, nan };

template <int ExponentBits, int FractionBits>
inline Part unpacked(u32 bits, Kind& kind) {
  constexpr s32 top = (1 << ExponentBits) - 1, bias = top >> 1;
  const u32 fraction = bits & ((1U << FractionBits) - 1);
  const auto exponent = static_cast<s32>(bits >> FractionBits) & top;
  const bool negative = (bits >> (ExponentBits + FractionBits) & 1) != 0;
  if (exponent == top) kind = fraction != 0 ? Kind::nan : Kind::infinite;
  Part part;
  part.sig = static_cast<s32>(exponent == 0 ? fraction : fraction | 1U << FractionBits);
  part.exponent = part.sig == 0 ? no_exponent : (exponent == 0 ? 1 : exponent) - bias;
  if (negative) part.sig = -part.sig;
  return part;
}

/// e4m3 and e5m2 are made f16 first, as the machine does.
inline u16 half_of_quarter(Element e, u32 bits) {
  if (e == Element::e5m2) return static_cast<u16>(bits << 8);
  if ((bits & 0x7f) == 0x7f) return static_cast<u16>((bits & 0x80) << 8 | 0x7fff);
  const double value = std::ldexp(static_cast<double>((bits & 7) + ((bits & 0x78) != 0 ? 8 : 0)),
                                  static_cast<int>((bits & 0x78) != 0 ? bits >> 3 & 15 : 1) - 10);
  return static_cast<u16>(Half::narrow(value) | (bits & 0x80) << 8);
}

/// An element of a format, and whether it is no number. f16, tf32 and those of 8 bits have 10 bits of
/// fraction here.
inline Part element_part(Element e, u32 bits, Kind& kind) {
  switch (e) {
    case Element::bf16:
      return unpacked<8, 7>(bits, kind);
    case Element::tf32:
      return unpacked<8, 10>(bits >> 13, kind);
    case Element::f16:
      return unpacked<5, 10>(bits, kind);
    default:
      return unpacked<5, 10>(half_of_quarter(e, bits), kind);
  }
}
inline int fraction_bits(Element e) {
  return e == Element::bf16 ? 7 : 10;
}

/// sum * 2^exponent as f32, what does not fit cut off.
inline u32 cut_to_single(s64 sum, s32 exponent) {
  if (sum == 0) return 0;
  const u32 sign = sum < 0 ? 0x80000000U : 0;
  const u64 size = sum < 0 ? 0 - static_cast<u64>(sum) : static_cast<u64>(sum);
  const s32 top = 63 - __builtin_clzll(size), value = top + exponent;
  if (value > 127) return sign | 0x7f800000U;
  const s32 unit = std::max(value - 23, -149), shift = unit - exponent;
  const u64 kept = shift <= 0 ? size << -shift : shift > 63 ? 0 : size >> shift;
  if (kept == 0) return 0;
  return sign |
         static_cast<u32>(value < -126 ? kept : (static_cast<u64>(value + 127) << 23) + (kept & 0x7fffff));
}

/// Products of `count` pairs and `c` (sig with 23 bits of fraction), each cut off 25 bits below the largest
/// exponent, then added: the sum in units of 2^unit.
struct Sum {
  s64 value;
  s32 unit;
};
inline Sum add_products(Part c, const Part* a, const Part* b, u32 count, int fraction) {
  s32 largest = c.exponent;
  for (u32 i = 0; i < count; ++i) largest = std::max(largest, a[i].exponent + b[i].exponent);
  if (largest <= no_exponent / 2) return {0, 0};
  largest = std::max(largest, least_exponent);
  const auto aligned = [largest](s64 sig, s32 exponent, int bits) {
    const s32 shift = kept_bits - bits - (largest - exponent);
    if (shift >= 0) return sig * (s64{1} << shift);
    if (shift < -62) return s64{0};
    const s64 sign = sig >> 63;
    return ((((sig ^ sign) - sign) >> -shift) ^ sign) - sign;
  };
  s64 sum = aligned(c.sig, c.exponent, 23);
  for (u32 i = 0; i < count; ++i)
    sum += aligned(s64{a[i].sig} * b[i].sig, a[i].exponent + b[i].exponent, 2 * fraction);
  return {sum, largest - kept_bits};
}

}  // namespace
}  // namespace strata::traces::ptx
