// Conversions to formats of fewer bits than 16, to tf32, and of integers that are packed.
#include <cmath>
#include <limits>

#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

/// A format of eight bits; `Largest` is the code of its largest number, 0x7f a NaN.
template <int Bits, int Bias, u32 Largest>
struct Quarter {
  static double widen(u32 q) {
    const int e = static_cast<int>(q >> Bits & (0x7fU >> Bits)), m = static_cast<int>(q & ((1U << Bits) - 1));
    const u32 size = q & 0x7f;
    double v = e == 0 ? std::ldexp(m, 1 - Bias - Bits) : std::ldexp(m | 1 << Bits, e - Bias - Bits);
    if (size > Largest) v = Bits == 2 && size == 0x7c ? HUGE_VAL : NAN;
    return (q & 0x80) != 0 ? -v : v;
  }
  /// To the nearest, even; what is too large becomes the largest (.satfinite).
  static u32 narrow(double x) {
    if (x != x) return 0x7f;
    const u32 sign = std::signbit(x) ? 0x80 : 0;
    x = std::fabs(x);
    if (x >= widen(Largest)) return sign | Largest;
    if (x == 0) return sign;
    int e;
    std::frexp(x, &e);
    const int exponent = e - 1 < 1 - Bias ? 1 - Bias : e - 1;
    const u32 bits = static_cast<u32>((exponent + Bias - 1) << Bits) +
                     static_cast<u32>(std::nearbyint(std::ldexp(x, Bits - exponent)));
    return sign | (bits > Largest ? Largest : bits);
  }
};
struct E4m3 : Quarter<3, 7, 0x7e> {
  static constexpr const char* name = "e4m3x2";
};
struct E5m2 : Quarter<2, 15, 0x7b> {
  static constexpr const char* name = "e5m2x2";
};

template <bool NotNegative>
double limited(double x) {
  return NotNegative && x < 0 ? 0.0 : NotNegative && x == 0 ? 0.0 : x;
}
/// d, a, b: a is the upper one.
template <class Q, bool NotNegative>
u16 pair_from_singles(float a, float b) {
  return static_cast<u16>(Q::narrow(limited<NotNegative>(static_cast<double>(a))) << 8 |
                          Q::narrow(limited<NotNegative>(static_cast<double>(b))));
}
template <class Q, class H, bool NotNegative>
u16 pair_from_halves(u32 a) {
  return static_cast<u16>(Q::narrow(limited<NotNegative>(H::widen(static_cast<u16>(a >> 16)))) << 8 |
                          Q::narrow(limited<NotNegative>(H::widen(static_cast<u16>(a)))));
}
template <class Q, bool NotNegative>
u32 halves_from_pair(u16 a) {
  const u32 high = Half::narrow(limited<NotNegative>(Q::widen(a >> 8)));
  return high << 16 | Half::narrow(limited<NotNegative>(Q::widen(a & 255U)));
}

/// tf32 has the upper 19 bits of an f32.
enum class Cut { nearest, nearest_away, zero };
template <Cut Mode, bool NotNegative>
u32 to_tf32(u32 a) {
  constexpr u32 lost = 0x1fff;
  if ((a & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
  if (NotNegative && (a & 0x80000000) != 0) return 0;
  if ((a & 0x7f800000) == 0x7f800000) return a;
  if (Mode == Cut::nearest_away) a += 0x1000;
  if (Mode == Cut::nearest) a += 0xfff + (a >> 13 & 1);
  return a & ~lost;
}

/// cvt.pack.sat: a and b clamped, side by side, below them the upper part of c.
template <class T, int Bits>
u32 clamped_to(u32 a) {
  const s64 x = static_cast<s32>(a),
            top = std::numeric_limits<T>::is_signed ? (s64{1} << (Bits - 1)) - 1 : (s64{1} << Bits) - 1;
  const s64 low = std::numeric_limits<T>::is_signed ? -top - 1 : 0;
  return static_cast<u32>(x < low ? low : x > top ? top : x) & ((1U << Bits) - 1);
}
template <class T, int Bits>
u32 packed_small(u32 a, u32 b, u32 c) {
  return clamped_to<T, Bits>(a) << Bits | clamped_to<T, Bits>(b) | c << (2 * Bits);
}
template <class T>
u32 packed_words(u32 a, u32 b) {
  return clamped_to<T, 16>(a) << 16 | clamped_to<T, 16>(b);
}

template <class Q, bool NotNegative>
constexpr HandlerEntry quarter_rows[] = {
    row<pair_from_singles<Q, NotNegative>>(NotNegative ? "cvt.satfinite.relu." : "cvt.satfinite.", Q::name,
                                           ".f32"),
    row<pair_from_halves<Q, Half, NotNegative>>(NotNegative ? "cvt.satfinite.relu." : "cvt.satfinite.",
                                                Q::name, ".f16x2"),
    row<halves_from_pair<Q, NotNegative>>(NotNegative ? "cvt.relu.f16x2." : "cvt.f16x2.", Q::name)};
constexpr HandlerEntry others[] = {row<to_tf32<Cut::nearest_away, false>>("cvt.rna.tf32.f32"),
                                   row<to_tf32<Cut::nearest, false>>("cvt.tf32.f32"),
                                   row<to_tf32<Cut::nearest, true>>("cvt.relu.tf32.f32"),
                                   row<to_tf32<Cut::zero, false>>("cvt.rz.tf32.f32"),
                                   row<to_tf32<Cut::zero, true>>("cvt.rz.relu.tf32.f32"),
                                   row<packed_small<u8, 8>>("cvt.pack.sat.u8.s32.b32"),
                                   row<packed_small<s8, 8>>("cvt.pack.sat.s8.s32.b32"),
                                   row<packed_small<u8, 4>>("cvt.pack.sat.u4.s32.b32"),
                                   row<packed_small<s8, 4>>("cvt.pack.sat.s4.s32.b32"),
                                   row<packed_words<u16>>("cvt.pack.sat.u16.s32"),
                                   row<packed_words<s16>>("cvt.pack.sat.s16.s32")};

}  // namespace

void add_small_formats(HandlerTable& table) {
  add(table, quarter_rows<E4m3, false>);
  add(table, quarter_rows<E4m3, true>);
  add(table, quarter_rows<E5m2, false>);
  add(table, quarter_rows<E5m2, true>);
  add(table, others);
}

}  // namespace strata::traces::ptx
