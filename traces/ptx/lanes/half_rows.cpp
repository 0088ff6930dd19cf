// Arithmetic of 16-bit floats in double precision, rounded once to 16 bits. Sums, products and quotients of
// 11-bit significands are exact enough in 53 bits; fused products are rounded to odd. Conversions to formats
// below 16 bits, to tf32, and of packed integers.
#include <cmath>
#include <cstring>
#include <limits>

#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_real.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

/// Rounds to odd: the last bit is set if the result is inexact.
double odd_fma(double a, double b, double c) {
  const double p = a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
  auto bits = as<u64>(s);
  if ((e > 0 || e < 0) && (bits & 1) == 0) bits += (e > 0) == (s > 0) ? u64{1} : ~u64{0};
  return as<double>(bits);
}
struct Transcendental {
  static double exp2(double a) { return std::exp2(a); }
  static double tanh(double a) { return std::tanh(a); }
};

/// `.relu`: negative results become 0, NaN stays.
template <auto F>
struct NotNegative;
template <class... A, double (*F)(A...)>
struct NotNegative<F> {
  static double f(A... a) {
    const double r = F(a...);
    return r <= 0 ? 0.0 : r;  // -0 becomes 0, too
  }
};
/// `.ftz` of f16: numbers below the smallest normal one become 0 and keep their sign.
double flushed_half(double x) {
  return std::fabs(x) < 0x1p-14 ? std::copysign(0.0, x) : x;
}
template <auto F>
struct FlushedHalf;
template <class... A, double (*F)(A...)>
struct FlushedHalf<F> {
  static double f(A... a) { return flushed_half(F(flushed_half(a)...)); }
};
/// `.xorsign.abs`: F of the magnitudes, with the sign of the product.
template <double (*F)(double, double)>
struct CrossedSigns {
  static double f(double a, double b) {
    const double r = F(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -r : r;
  }
};

/// Rows of 32 halves; with `Pairs`, 64 halves, two in each 32-bit lane.
template <bool Pairs>
struct HalfRow {
  static constexpr int count = Pairs ? 64 : 32;
  using Lane = std::conditional_t<Pairs, u32, u16>;
  u16 at[count];
  void put(Warp& w, Row to) const {
    Lane lanes[32];
    std::memcpy(lanes, at, sizeof(lanes));
    ptx::put(w, to, lanes);
  }
};
template <class H, auto F, bool Pairs>
const Op* map(Warp& w, const Op* op) {
  const u16 *a = row_of<u16>(w, op->a), *b = op->b == no_row ? a : row_of<u16>(w, op->b),
            *c = op->c == no_row ? a : row_of<u16>(w, op->c);
  HalfRow<Pairs> result;
  for (int i = 0; i < result.count; ++i)
    result.at[i] = H::narrow(call<F>(H::widen(a[i]), H::widen(b[i]), H::widen(c[i])));
  result.put(w, op->d);
  return op + 1;
}
template <class H, bool (*F)(double, double)>
const Op* compare(Warp& w, const Op* op) {
  const u16 *a = row_of<u16>(w, op->a), *b = row_of<u16>(w, op->b);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) yes |= static_cast<u32>(F(H::widen(a[i]), H::widen(b[i]))) << i;
  return put_comparison(w, op, yes);
}
/// `set`: code 0 gives all ones or 0, code 1 gives 1.0 or 0.0.
template <class H, bool (*F)(double, double), bool Pairs>
const Op* compare_set(Warp& w, const Op* op) {
  const u16 *a = row_of<u16>(w, op->a), *b = row_of<u16>(w, op->b);
  const u16 yes = op->code == 0 ? u16{0xffff} : H::narrow(1.0);
  HalfRow<Pairs> result;
  for (int i = 0; i < result.count; ++i) result.at[i] = F(H::widen(a[i]), H::widen(b[i])) ? yes : u16{0};
  result.put(w, op->d);
  return op + 1;
}
template <class H, bool (*F)(double, double)>
const Op* compare_word(Warp& w, const Op* op) {
  const u16 *a = row_of<u16>(w, op->a), *b = row_of<u16>(w, op->b);
  const u32 yes = op->code == 0 ? all_lanes : as<u32>(1.0f);
  u32 result[32];
  for (int i = 0; i < 32; ++i) result[i] = F(H::widen(a[i]), H::widen(b[i])) ? yes : 0;
  put(w, op->d, result);
  return op + 1;
}

template <class H, class T, int Mode>
u16 from(T a) {
  if constexpr (sizeof(T) == 8 && std::is_integral<T>::value) {
    // A double has fewer than 64 bits: the lost bits stay as a sticky bit, so that the single rounding is
    // right.
    const bool negative = a < 0;
    u64 size = negative ? 0 - static_cast<u64>(a) : static_cast<u64>(a);
    if (size >> 50 != 0) size = (size >> 14 | ((size & 0x3fff) != 0 ? 1U : 0U)) << 14;
    const double value = static_cast<double>(size);
    return H::template narrow<Mode>(negative ? -value : value);
  }
  return H::template narrow<Mode>(static_cast<double>(a));
}
template <class H, class T>
u16 from_positive(T a) {
  return H::narrow(a <= 0 ? 0.0 : static_cast<double>(a));
}
template <class H, class T>
u16 from_positive_cut(T a) {
  return H::template narrow<1>(a <= 0 ? 0.0 : static_cast<double>(a));
}
template <class H, class T>
u16 from_clamped(T a) {
  return H::narrow(static_cast<double>(clamped(a)));
}
template <class H, class T>
T to(u16 a) {
  return static_cast<T>(H::widen(a));
}
template <class From, class To>
u16 between(u16 a) {
  return To::narrow(From::widen(a));
}
template <int Mode>
double whole(double x) {
  return Mode == 0 ? std::nearbyint(x) : Mode == 1 ? std::trunc(x) : Mode == 2 ? std::floor(x) : std::ceil(x);
}
template <class H, int Mode>
u16 to_whole(u16 a) {
  return H::narrow(whole<Mode>(H::widen(a)));
}
template <class H, class T, int Mode>
T to_integer(u16 a) {
  using Limits = std::numeric_limits<T>;
  const double x = whole<Mode>(H::widen(a));
  const double high = std::ldexp(1.0, Limits::digits), low = Limits::is_signed ? -high : 0;
  if (x != x) return sizeof(T) == 8 ? static_cast<T>(u64{1} << 63) : T(0);
  return x >= high ? Limits::max() : x <= low ? Limits::min() : static_cast<T>(x);
}
/// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
template <class H, int Mode, bool NoNegative>
u32 pair_from(float a, float b) {
  const auto narrow = [](float x) -> u32 {
    return H::template narrow<Mode>(NoNegative && x <= 0 ? 0.0 : static_cast<double>(x));
  };
  return narrow(a) << 16 | narrow(b);
}

using R = Real<double>;
template <class H, bool Pairs, auto F>
constexpr HandlerEntry half_row(const char* name) {
  Signature signature = Lanes<F>::signature;
  for (char& letter : signature.text)
    if (letter == 'l') letter = row_letter<typename HalfRow<Pairs>::Lane>;
  return make_row(map<H, F, Pairs>, signature, name, H::name, Pairs ? "x2" : "");
}
template <class H, bool Pairs>
constexpr HandlerEntry arithmetic[] = {half_row<H, Pairs, R::add>("add."),
                                       half_row<H, Pairs, R::subtract>("sub."),
                                       half_row<H, Pairs, R::multiply>("mul."),
                                       half_row<H, Pairs, odd_fma>("fma."),
                                       half_row<H, Pairs, R::min>("min."),
                                       half_row<H, Pairs, R::max>("max."),
                                       half_row<H, Pairs, R::min_nan>("min.NaN."),
                                       half_row<H, Pairs, R::max_nan>("max.NaN."),
                                       half_row<H, Pairs, Saturated<R::add>::f>("add.sat."),
                                       half_row<H, Pairs, Saturated<R::subtract>::f>("sub.sat."),
                                       half_row<H, Pairs, Saturated<R::multiply>::f>("mul.sat."),
                                       half_row<H, Pairs, Saturated<odd_fma>::f>("fma.sat."),
                                       half_row<H, Pairs, NotNegative<odd_fma>::f>("fma.relu."),
                                       half_row<H, Pairs, R::negate>("neg."),
                                       half_row<H, Pairs, R::absolute>("abs."),
                                       half_row<H, Pairs, Transcendental::exp2>("ex2."),
                                       half_row<H, Pairs, Transcendental::tanh>("tanh.")};
template <class H, bool Pairs>
constexpr HandlerEntry crossed[] = {half_row<H, Pairs, CrossedSigns<R::min>::f>("min.xorsign.abs."),
                                    half_row<H, Pairs, CrossedSigns<R::max>::f>("max.xorsign.abs."),
                                    half_row<H, Pairs, CrossedSigns<R::min_nan>::f>("min.NaN.xorsign.abs."),
                                    half_row<H, Pairs, CrossedSigns<R::max_nan>::f>("max.NaN.xorsign.abs.")};
template <bool Pairs>
constexpr HandlerEntry flushing[] = {
    half_row<Half, Pairs, FlushedHalf<R::add>::f>("add.ftz."),
    half_row<Half, Pairs, FlushedHalf<R::subtract>::f>("sub.ftz."),
    half_row<Half, Pairs, FlushedHalf<R::multiply>::f>("mul.ftz."),
    half_row<Half, Pairs, FlushedHalf<odd_fma>::f>("fma.ftz."),
    half_row<Half, Pairs, FlushedHalf<R::min>::f>("min.ftz."),
    half_row<Half, Pairs, FlushedHalf<R::max>::f>("max.ftz."),
    half_row<Half, Pairs, Saturated<FlushedHalf<R::add>::f>::f>("add.ftz.sat."),
    half_row<Half, Pairs, Saturated<FlushedHalf<R::subtract>::f>::f>("sub.ftz.sat."),
    half_row<Half, Pairs, Saturated<FlushedHalf<R::multiply>::f>::f>("mul.ftz.sat."),
    half_row<Half, Pairs, Saturated<FlushedHalf<odd_fma>::f>::f>("fma.ftz.sat.")};
constexpr HandlerEntry brain_exp2[] = {half_row<Brain, false, Transcendental::exp2>("ex2.ftz."),
                                       half_row<Brain, true, Transcendental::exp2>("ex2.ftz.")};
template <class H, std::size_t... N>
void add_comparisons(HandlerTable& table, std::index_sequence<N...>) {
  constexpr auto& all = comparisons<double>;
  static constexpr HandlerEntry setp[] = {make_row(compare<H, all[N].f>, make_signature<bool, u16, u16>(),
                                                   "setp.", all[N].name, ".", H::name)...};
  static constexpr HandlerEntry set[] = {make_row(compare_set<H, all[N].f, false>,
                                                  make_signature<u16, u16, u16>(), "set.", all[N].name, ".",
                                                  H::name)...};
  static constexpr HandlerEntry words[] = {make_row(compare_word<H, all[N].f>,
                                                    make_signature<u32, u16, u16>(), "set.", all[N].name, ".",
                                                    H::name, ".w")...};
  static constexpr HandlerEntry pairs[] = {make_row(compare_set<H, all[N].f, true>,
                                                    make_signature<u32, u32, u32>(), "set.", all[N].name, ".",
                                                    H::name, "x2")...};
  add(table, setp);
  add(table, set);
  add(table, words);
  add(table, pairs);
}
template <class H, class T>
constexpr HandlerEntry from_type[] = {row<from<H, T, 0>>("cvt.", H::name, ".", type_name<T>),
                                      row<from<H, T, 1>>("cvt.rz.", H::name, ".", type_name<T>),
                                      row<from<H, T, 2>>("cvt.rm.", H::name, ".", type_name<T>),
                                      row<from<H, T, 3>>("cvt.rp.", H::name, ".", type_name<T>)};
template <class H, class T>
constexpr HandlerEntry to_integers[] = {row<to_integer<H, T, 0>>("cvt.rni.", type_name<T>, ".", H::name),
                                        row<to_integer<H, T, 1>>("cvt.rzi.", type_name<T>, ".", H::name),
                                        row<to_integer<H, T, 2>>("cvt.rmi.", type_name<T>, ".", H::name),
                                        row<to_integer<H, T, 3>>("cvt.rpi.", type_name<T>, ".", H::name)};
/// Conversion to a register wider than the type, with sign extension.
template <class H, class T, class D, int Mode>
D to_wider(u16 a) {
  return static_cast<D>(to_integer<H, T, Mode>(a));
}
template <class H, class T, class D>
constexpr HandlerEntry to_registers[] = {
    row<to_wider<H, T, D, 0>>("cvt.rni.", type_name<T>, ".", H::name, ".", row_letter<D>),
    row<to_wider<H, T, D, 1>>("cvt.rzi.", type_name<T>, ".", H::name, ".", row_letter<D>),
    row<to_wider<H, T, D, 2>>("cvt.rmi.", type_name<T>, ".", H::name, ".", row_letter<D>),
    row<to_wider<H, T, D, 3>>("cvt.rpi.", type_name<T>, ".", H::name, ".", row_letter<D>)};
template <class H>
constexpr HandlerEntry others[] = {row<to<H, float>>("cvt.f32.", H::name),
                                   row<to<H, double>>("cvt.f64.", H::name),
                                   row<to_whole<H, 0>>("cvt.rni.", H::name, ".", H::name),
                                   row<to_whole<H, 1>>("cvt.rzi.", H::name, ".", H::name),
                                   row<to_whole<H, 2>>("cvt.rmi.", H::name, ".", H::name),
                                   row<to_whole<H, 3>>("cvt.rpi.", H::name, ".", H::name),
                                   row<from_positive<H, float>>("cvt.relu.", H::name, ".f32"),
                                   row<from_positive_cut<H, float>>("cvt.rz.relu.", H::name, ".f32"),
                                   row<from_clamped<H, float>>("cvt.sat.", H::name, ".f32"),
                                   row<pair_from<H, 0, false>>("cvt.", H::name, "x2.f32"),
                                   row<pair_from<H, 1, false>>("cvt.rz.", H::name, "x2.f32"),
                                   row<pair_from<H, 0, true>>("cvt.relu.", H::name, "x2.f32"),
                                   row<pair_from<H, 1, true>>("cvt.rz.relu.", H::name, "x2.f32")};
constexpr HandlerEntry half_to_half[] = {row<between<Half, Brain>>("cvt.bf16.f16"),
                                         row<between<Brain, Half>>("cvt.f16.bf16")};

template <class H, class... T>
void add_integers(HandlerTable& table) {
  (add(table, from_type<H, T>), ...);
  (add(table, to_integers<H, T>), ...);
}
template <class H, class D, class... T>
void add_wider(HandlerTable& table) {
  (add(table, to_registers<H, T, D>), ...);
}
template <class H>
void add_format(HandlerTable& table) {
  add(table, arithmetic<H, false>);
  add(table, arithmetic<H, true>);
  add(table, crossed<H, false>);
  add(table, crossed<H, true>);
  add_comparisons<H>(table, AllComparisons());
  add(table, from_type<H, float>);
  add(table, from_type<H, double>);
  add_integers<H, s16, u16, s32, u32, s64, u64>(table);
  add_wider<H, u16, s8, u8>(table);
  add_wider<H, u32, s8, u8, s16, u16>(table);
  add_wider<H, u64, s8, u8, s16, u16, s32, u32>(table);
  add(table, others<H>);
}

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
  /// Rounds to nearest even; larger values become the largest number (.satfinite).
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
/// cvt d, a, b: a is the upper half.
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

/// cvt.pack.sat: a and b clamped and packed, the upper part of c below them.
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
constexpr HandlerEntry small_formats[] = {row<to_tf32<Cut::nearest_away, false>>("cvt.rna.tf32.f32"),
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

void add_half(HandlerTable& table) {
  add_format<Half>(table);
  add_format<Brain>(table);
  add(table, half_to_half);
  add(table, flushing<false>);
  add(table, flushing<true>);
  add(table, brain_exp2);
  add(table, quarter_rows<E4m3, false>);
  add(table, quarter_rows<E4m3, true>);
  add(table, quarter_rows<E5m2, false>);
  add(table, quarter_rows<E5m2, true>);
  add(table, small_formats);
}

}  // namespace strata::traces::ptx
