// Arithmetic, comparisons and conversions of floats, rounded to nearest. Compiled once per instruction set,
// in namespace STRATA_PTX_ISA. In the keys of conversions M is the type that decides, D and S are the rows of
// destination and source.
#include <limits>

#include "traces/ptx/lanes/lane_compare.h"
#include "traces/ptx/lanes/lane_real.h"

/// Approximate functions: computed in double precision and rounded once, the same on every machine.
namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

inline double exp2_of(double x) {
  x = x > -1080 ? x : -1080;  // also for NaN, which the caller keeps
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
  const double x = a;  // normal in double precision
  const s64 bits = as<s64>(x);
  const s64 shifted = static_cast<s64>(static_cast<u64>(bits) -
                                       0x3fe6a09e667f3bcd);  // to get the mantissa into sqrt(1/2) .. sqrt(2)
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

/// Approximate functions of one lane, in single precision.
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
namespace STRATA_PTX_ISA {
namespace {

template <class T>
constexpr HandlerEntry both[] = {row<Real<T>::add>("add.", type_name<T>),
                                 row<Real<T>::subtract>("sub.", type_name<T>),
                                 row<Real<T>::multiply>("mul.", type_name<T>),
                                 row<Real<T>::divide>("div.", type_name<T>),
                                 row<Real<T>::min>("min.", type_name<T>),
                                 row<Real<T>::max>("max.", type_name<T>),
                                 row<Real<T>::copy_sign>("copysign.", type_name<T>),
                                 row<Real<T>::multiply_add>("fma.", type_name<T>),
                                 row<Real<T>::absolute>("abs.", type_name<T>),
                                 row<Real<T>::negate>("neg.", type_name<T>),
                                 row<Real<T>::reciprocal>("rcp.", type_name<T>),
                                 row<Real<T>::root>("sqrt.", type_name<T>),
                                 row<Real<T>::reciprocal_root>("rsqrt.", type_name<T>)};

using R = Real<float>;
constexpr HandlerEntry single[] = {row<R::min_nan>("min.NaN.f32"),
                                   row<R::max_nan>("max.NaN.f32"),
                                   row<Approximate::exp2>("ex2.f32"),
                                   row<Approximate::log2>("lg2.f32"),
                                   row<Approximate::sine>("sin.f32"),
                                   row<Approximate::cosine>("cos.f32"),
                                   row<Approximate::tanh>("tanh.f32"),
                                   row<Saturated<R::add>::f>("add.sat.f32"),
                                   row<Saturated<R::subtract>::f>("sub.sat.f32"),
                                   row<Saturated<R::multiply>::f>("mul.sat.f32"),
                                   row<Saturated<R::multiply_add>::f>("fma.sat.f32")};
constexpr HandlerEntry flushing[] = {row<FlushedAll<R::add>::f>("add.ftz.f32"),
                                     row<FlushedAll<R::subtract>::f>("sub.ftz.f32"),
                                     row<FlushedAll<R::multiply>::f>("mul.ftz.f32"),
                                     row<FlushedAll<R::multiply_add>::f>("fma.ftz.f32"),
                                     row<FlushedAll<R::divide>::f>("div.ftz.f32"),
                                     row<Saturated<FlushedAll<R::add>::f>::f>("add.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::subtract>::f>::f>("sub.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::multiply>::f>::f>("mul.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::multiply_add>::f>::f>("fma.ftz.sat.f32"),
                                     row<Flushed<R::min>::f>("min.ftz.f32"),
                                     row<Flushed<R::max>::f>("max.ftz.f32"),
                                     row<Flushed<R::absolute>::f>("abs.ftz.f32"),
                                     row<Flushed<R::negate>::f>("neg.ftz.f32"),
                                     row<Flushed<R::reciprocal_root>::f>("rsqrt.ftz.f32"),
                                     row<Flushed<Approximate::log2>::f>("lg2.ftz.f32"),
                                     row<FlushedAll<R::reciprocal>::f>("rcp.ftz.f32"),
                                     row<FlushedAll<R::root>::f>("sqrt.ftz.f32"),
                                     row<FlushedAll<Approximate::exp2>::f>("ex2.ftz.f32"),
                                     row<FlushedAll<Approximate::sine>::f>("sin.ftz.f32"),
                                     row<FlushedAll<Approximate::cosine>::f>("cos.ftz.f32")};

/// Register type that holds a value of type T.
template <class T>
using RowOf = std::conditional_t<sizeof(T) <= 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;

template <class M, class D, class S>
D extended(S a) {
  return static_cast<D>(static_cast<M>(a));
}
/// Converts integer type S to the range of M.
template <class M, class D, class S>
D saturated(RowOf<S> a) {
  const __int128 x = static_cast<S>(a), low = std::numeric_limits<M>::min(),
                 high = std::numeric_limits<M>::max();
  return static_cast<D>(static_cast<M>(x < low ? low : x > high ? high : x));
}
inline double rounded(double x, int mode) {
  switch (mode) {
    case 0:
      return std::nearbyint(x);
    case 1:
      return std::trunc(x);
    case 2:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}
/// Float to integer: op->code is the rounding (0 even, 1 to zero, 2 down, 3 up; 16: subnormal numbers are
/// flushed). Always clamps; NaN gives 0 (with 64 bits the machine gives the top bit).
template <class M, class D, class A>
const Op* to_integer(Warp& w, const Op* op) {
  using Limits = std::numeric_limits<M>;
  const A* a = row_of<A>(w, op->a);
  alignas(64) D result[32];
  const int mode = op->code & 3;
  const double low = static_cast<double>(Limits::min()), high = static_cast<double>(Limits::max());
  for (int i = 0; i < 32; ++i) {
    const double x = rounded((op->code & 16) != 0 ? static_cast<double>(flushed(static_cast<float>(a[i])))
                                                  : static_cast<double>(a[i]),
                             mode);
    M v;
    if (not_a_number(x))  // PTX ISA, "cvt", integer notes: 0 unless a side has 64 bits
      v = sizeof(M) == 8 || sizeof(A) == 8 ? static_cast<M>(u64{1} << (8 * sizeof(M) - 1)) : M(0);
    else if (x <= low)
      v = Limits::min();
    else if (x >= high)
      v = Limits::max();
    else
      v = static_cast<M>(x);
    result[i] = static_cast<D>(v);
  }
  put(w, op->d, result);
  return op + 1;
}
/// Rounds a float to an integral float; op->code as above, 8: clamped to [0, 1].
template <class T>
const Op* to_whole(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  alignas(64) T result[32];
  const int mode = op->code & 3;
  for (int i = 0; i < 32; ++i) {
    T x = a[i];
    if ((op->code & 16) != 0) x = static_cast<T>(flushed(static_cast<float>(x)));
    const auto v = static_cast<T>(rounded(x, mode));
    result[i] = (op->code & 8) != 0 ? clamped(v) : v;
  }
  put(w, op->d, result);
  return op + 1;
}
template <class M, class D>
constexpr HandlerEntry to_type[] = {row<extended<M, D, u16>>("cvt.", type_name<M>, ".", row_letter<D>, 'h'),
                                    row<extended<M, D, u32>>("cvt.", type_name<M>, ".", row_letter<D>, 'w'),
                                    row<extended<M, D, u64>>("cvt.", type_name<M>, ".", row_letter<D>, 'l')};
template <class M, class D, class S>
constexpr HandlerEntry saturating = row<saturated<M, D, S>>("cvt.sat.", type_name<M>, ".", type_name<S>, ".",
                                                            row_letter<D>);
template <class M, class D>
constexpr HandlerEntry clamping[] = {saturating<M, D, u8>,
                                     saturating<M, D, s8>,
                                     saturating<M, D, u16>,
                                     saturating<M, D, s16>,
                                     saturating<M, D, u32>,
                                     saturating<M, D, s32>,
                                     saturating<M, D, u64>,
                                     saturating<M, D, s64>,
                                     make_row(to_integer<M, D, float>, make_signature<D, u32>(), "cvt.i.",
                                              type_name<M>, ".f32.", row_letter<D>),
                                     make_row(to_integer<M, D, double>, make_signature<D, u64>(), "cvt.i.",
                                              type_name<M>, ".f64.", row_letter<D>)};
template <class S>
constexpr HandlerEntry to_real[] = {row<extended<S, float, RowOf<S>>>("cvt.f32.", type_name<S>),
                                    row<extended<S, double, RowOf<S>>>("cvt.f64.", type_name<S>)};
template <class T>
constexpr HandlerEntry of_real[] = {make_row(to_whole<T>, make_signature<T, T>(), "cvt.ri.", type_name<T>),
                                    row<Real<T>::saturated>("cvt.sat.", type_name<T>, ".", type_name<T>)};
constexpr HandlerEntry real_to_real[] = {row<extended<float, float, double>>("cvt.f32.f64"),
                                         row<extended<double, double, float>>("cvt.f64.f32")};

template <class M, class D>
void add_to(HandlerTable& table) {
  add(table, to_type<M, D>);
  if constexpr (sizeof(D) >= sizeof(M)) add(table, clamping<M, D>);
}
template <class... T>
void add_integers(HandlerTable& table) {
  (add_to<T, u16>(table), ...);
  (add_to<T, u32>(table), ...);
  (add_to<T, u64>(table), ...);
  (add(table, to_real<T>), ...);
}

}  // namespace

void add_real(HandlerTable& table) {
  add(table, both<float>);
  add(table, both<double>);
  add(table, single);
  add(table, flushing);
  add_setp<float>(table, AllComparisons());
  add_setp<double>(table, AllComparisons());
  add_set<float>(table, AllComparisons());
  add_set<double>(table, AllComparisons());
  add_integers<u8, s8, u16, s16, u32, s32, u64, s64>(table);
  add(table, of_real<float>);
  add(table, of_real<double>);
  add(table, real_to_real);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
