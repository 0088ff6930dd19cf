#pragma once

#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/tensor_code.h"

/// How the tensor cores of an H100 add products of floats up. Found by running chosen and random operands
/// there (tb/data/ptx/gpu); it agrees with M. Khattak and M. Mikaitis, "Accurate models of NVIDIA tensor
/// cores" (2025). In docs/guide/ptx.md, "Matrices", in words.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

/// Eight lanes side by side.
using Eight = s32 __attribute__((vector_size(32)));
using EightBits = u32 __attribute__((vector_size(32)));

inline Eight eight_of(const s32* from) {
  Eight to;
  __builtin_memcpy(&to, from, sizeof(to));
  return to;
}
inline Eight larger(Eight a, Eight b) {
  return a > b ? a : b;
}
inline bool any(Eight mask) {
  s64 words[4];
  __builtin_memcpy(words, &mask, sizeof(words));
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

constexpr s32 no_exponent = -100000;       ///< of the value 0: behind every other
constexpr s32 infinite_exponent = 100000;  ///< of infinities; NaN have one more
constexpr s32 kept_bits = 25;              ///< below the largest term
constexpr s32 least_exponent = -133;       ///< that the largest term counts with

inline bool is_finite(s32 exponent) {
  return exponent < infinite_exponent;
}
inline bool is_nan(s32 exponent) {
  return exponent > infinite_exponent;
}

/// sig * 2^(exponent - fraction bits of the format).
struct Parts {
  Eight sig, exponent;
};

template <int ExponentBits, int FractionBits>
inline Parts unpacked(EightBits bits) {
  constexpr s32 top = (1 << ExponentBits) - 1, bias = top >> 1;
  const Eight fraction = as<Eight>(bits & ((1U << FractionBits) - 1));
  const Eight exponent = as<Eight>(bits >> FractionBits) & top;
  const Eight sign = -as<Eight>(bits >> (ExponentBits + FractionBits) & 1);
  const Eight size = fraction | (as<Eight>(exponent != 0) & (1 << FractionBits));
  const Eight none = {};
  Parts parts;
  parts.sig = (size ^ sign) - sign;
  parts.exponent = size == 0 ? none + no_exponent : larger(exponent, none + 1) - bias;
  const Eight special = infinite_exponent - as<Eight>(fraction != 0);  // true is -1
  parts.exponent = exponent == top ? special : parts.exponent;
  return parts;
}

/// Elements of a format. f16, tf32 and those of 8 bits, which come as f16, have 10 bits of fraction here.
inline Parts element_parts(Element e, EightBits bits) {
  if (e == Element::bf16) return unpacked<8, 7>(bits);
  if (e == Element::tf32) return unpacked<8, 10>(bits >> 13);
  return unpacked<5, 10>(bits);
}
inline int fraction_bits(Element e) {
  return e == Element::bf16 ? 7 : 10;
}

/// A term's significand brought to an exponent that lies `down` above its own; what falls off is cut.
inline Eight aligned(Eight sig, Eight down) {
  const Eight sign = sig >> 31, most = Eight{} + 31;
  const EightBits size = as<EightBits>((sig ^ sign) - sign);
  const Eight kept = as<Eight>(size >> as<EightBits>(down < most ? down : most));
  return (kept ^ sign) - sign;
}

/// Eight sums of finite terms: (part[0] + part[1]) * 2^unit.
struct Sums {
  Eight part[2];  ///< a sum of 16 products and c may have 32 bits and its sign
  Eight unit;
  s64 whole(int i) const { return s64{part[0][i]} + part[1][i]; }
  /// Exact: it has 33 bits.
  double value(int i) const {
    return (static_cast<double>(part[0][i]) + static_cast<double>(part[1][i])) *
           as<double>(static_cast<u64>(unit[i] + 1023) << 52);
  }
};

/// c (24 bits of significand) and `count` products of a row of a and eight columns of b, whose rows lie
/// `stride` apart: each cut off 25 bits below the largest exponent (`fewer` bits earlier), then added.
inline Sums add_products(Parts c, const s32* a_sig, const s32* a_exponent, const s32* b_sig,
                         const s32* b_exponent, u32 stride, u32 count, int fraction, s32 fewer) {
  Eight largest = c.exponent;
  for (u32 k = 0; k < count; ++k)
    largest = larger(largest, a_exponent[k] + eight_of(b_exponent + k * stride));
  largest = larger(largest, Eight{} + least_exponent) + fewer;
  const int up = kept_bits - 2 * fraction;
  const auto term = [&](u32 k) {
    return aligned(a_sig[k] * (1 << up) * eight_of(b_sig + k * stride),
                   largest - (a_exponent[k] + eight_of(b_exponent + k * stride)));
  };
  Eight even = aligned(c.sig * (1 << (kept_bits - 23)), largest - c.exponent), odd = {};
  for (u32 k = 0; k < count; k += 2) {  // columns come in fours
    even += term(k);
    odd += term(k + 1);
  }
  return {{even, odd}, largest - kept_bits};
}

/// sum * 2^exponent as f32, what does not fit cut off.
inline u32 cut_to_single(s64 sum, s32 exponent) {
  if (sum == 0) return 0;
  const u32 sign = sum < 0 ? 0x80000000U : 0;
  const u64 size = sum < 0 ? 0 - static_cast<u64>(sum) : static_cast<u64>(sum);
  const s32 top = 63 - __builtin_clzll(size), value = top + exponent;
  if (value > 127) return sign | 0x7f800000U;
  const s32 unit = value - 23 > -149 ? value - 23 : -149, shift = unit - exponent;
  const u64 kept = shift <= 0 ? size << -shift : shift > 63 ? 0 : size >> shift;
  if (kept == 0) return 0;
  return sign |
         static_cast<u32>(value < -126 ? kept : (static_cast<u64>(value + 127) << 23) + (kept & 0x7fffff));
}
/// The same for eight: those that are normal numbers at once.
inline void cut_to_singles(const Sums& sums, u32* to) {
  constexpr u64 cut = ~((u64{1} << 29) - 1);
  bool normal = true;
  for (int i = 0; i < 8; ++i) {
    const double value = sums.value(i), size = std::fabs(value);
    normal = normal & ((size >= 0x1p-126 && size < 0x1p128) || size == 0);
    to[i] = as<u32>(static_cast<float>(as<double>(as<u64>(value) & cut)));
  }
  if (normal) return;
  for (int i = 0; i < 8; ++i) to[i] = cut_to_single(sums.whole(i), sums.unit[i]);
}
/// As f16, rounded to nearest; a 0 is +0.
inline void round_to_halves(const Sums& sums, u32* to) {
  for (int i = 0; i < 8; ++i) {
    const u32 bits = Half::narrow(sums.value(i));
    to[i] = (bits & 0x7fff) == 0 ? 0 : bits;
  }
}

}  // namespace
}  // namespace strata::traces::ptx
