// Carry chains, and floats that are not rounded to nearest.
#include <cfenv>
#include <cmath>

#include "traces/ptx/scalar_lanes.h"

namespace strata::traces::ptx {
namespace {

/// Sums with the carry of a chain; d2 is the carry (a predicate of the warp).
template <class T, bool Subtract, bool In, bool Out>
const Op* carry(Warp& w, const Op* op) {
  using Wide = unsigned __int128;
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  T result[32];
  u32& flag = *row_of<u32>(w, op->d2);
  u32 next = 0;
  for (int i = 0; i < 32; ++i) {
    const T in = In ? static_cast<T>(flag >> i & 1) : T(0);
    const Wide wide = Subtract ? Wide{a[i]} - b[i] - in : Wide{a[i]} + b[i] + in;
    result[i] = static_cast<T>(wide);
    next |= static_cast<u32>((wide >> (sizeof(T) * 8) & 1) != 0) << i;
  }
  if (Out) flag = (flag & ~w.mask) | (next & w.mask);
  put(w, op->d, result);
  return op + 1;
}
template <class T, class S, bool High, bool In, bool Out>
const Op* mad_carry(Warp& w, const Op* op) {
  using Wide = unsigned __int128;
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b), *c = row_of<T>(w, op->c);
  T result[32];
  u32& flag = *row_of<u32>(w, op->d2);
  u32 next = 0;
  for (int i = 0; i < 32; ++i) {
    const auto product =
        static_cast<Wide>(static_cast<__int128>(static_cast<S>(a[i])) * static_cast<S>(b[i]));
    const T part = static_cast<T>(High ? product >> (sizeof(T) * 8) : product);
    const Wide sum = Wide{part} + c[i] + (In ? flag >> i & 1 : 0u);
    result[i] = static_cast<T>(sum);
    next |= static_cast<u32>((sum >> (sizeof(T) * 8) & 1) != 0) << i;
  }
  if (Out) flag = (flag & ~w.mask) | (next & w.mask);
  put(w, op->d, result);
  return op + 1;
}

template <class T>
T flushed(T x, bool flush) {
  return flush && std::fabs(x) < T(1.17549435e-38f) ? std::copysign(T(0), x) : x;
}
/// Directed rounding: the host's rounding mode does it; `volatile` keeps the compiler from moving it.
template <class T, class F, int Mode>
const Op* directed(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b), *c = op->c == no_row ? b : row_of<T>(w, op->c);
  T result[32];
  const int before = std::fegetround();
  std::fesetround(Mode);
  for (int i = 0; i < 32; ++i) {
    volatile T x = flushed(a[i], op->code != 0), y = flushed(b[i], op->code != 0),
               z = flushed(c[i], op->code != 0), r;
    r = F::f(x, y, z);
    result[i] = flushed(T(r), op->code != 0);
  }
  std::fesetround(before);
  put(w, op->d, result);
  return op + 1;
}
template <class D, class A, int Mode>
const Op* convert(Warp& w, const Op* op) {
  const A* a = row_of<A>(w, op->a);
  D result[32];
  const int before = std::fegetround();
  std::fesetround(Mode);
  for (int i = 0; i < 32; ++i) {
    volatile A x = a[i];
    volatile D r = static_cast<D>(x);
    result[i] = r;
  }
  std::fesetround(before);
  put(w, op->d, result);
  return op + 1;
}
struct FAdd {
  template <class T>
  static T f(volatile T& a, volatile T& b, volatile T&) {
    return a + b;
  }
};
struct FSub {
  template <class T>
  static T f(volatile T& a, volatile T& b, volatile T&) {
    return a - b;
  }
};
struct FMul {
  template <class T>
  static T f(volatile T& a, volatile T& b, volatile T&) {
    return a * b;
  }
};
struct FDiv {
  template <class T>
  static T f(volatile T& a, volatile T& b, volatile T&) {
    return a / b;
  }
};
struct FFma {
  template <class T>
  static T f(volatile T& a, volatile T& b, volatile T& c) {
    return std::fma(T(a), T(b), T(c));
  }
};
struct FSqrt {
  template <class T>
  static T f(volatile T& a, volatile T&, volatile T&) {
    return std::sqrt(T(a));
  }
};
struct FRcp {
  template <class T>
  static T f(volatile T& a, volatile T&, volatile T&) {
    return T(1) / a;
  }
};
template <class T, class F, int Mode>
const Op* directed1(Warp& w, const Op* op) {
  Op both = *op;
  both.b = op->a;
  directed<T, F, Mode>(w, &both);
  return op + 1;
}
const Op* flush_subnormals(Warp& w, const Op* op) {
  const float* a = row_of<float>(w, op->a);
  float result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = std::fabs(a[i]) < 1.17549435e-38f ? std::copysign(0.0f, a[i]) : a[i];
  put(w, op->d, result);
  return op + 1;
}

#define ROUNDED(NAME, F)                                            \
  {NAME ".rz.f32", directed<float, F, FE_TOWARDZERO>, "w=ww"},      \
      {NAME ".rm.f32", directed<float, F, FE_DOWNWARD>, "w=ww"},    \
      {NAME ".rp.f32", directed<float, F, FE_UPWARD>, "w=ww"},      \
      {NAME ".rz.f64", directed<double, F, FE_TOWARDZERO>, "l=ll"}, \
      {NAME ".rm.f64", directed<double, F, FE_DOWNWARD>, "l=ll"}, { \
    NAME ".rp.f64", directed<double, F, FE_UPWARD>, "l=ll"          \
  }
#define ROUNDED1(NAME, F)                                           \
  {NAME ".rz.f32", directed1<float, F, FE_TOWARDZERO>, "w=w"},      \
      {NAME ".rm.f32", directed1<float, F, FE_DOWNWARD>, "w=w"},    \
      {NAME ".rp.f32", directed1<float, F, FE_UPWARD>, "w=w"},      \
      {NAME ".rz.f64", directed1<double, F, FE_TOWARDZERO>, "l=l"}, \
      {NAME ".rm.f64", directed1<double, F, FE_DOWNWARD>, "l=l"}, { \
    NAME ".rp.f64", directed1<double, F, FE_UPWARD>, "l=l"          \
  }
#define FROM_INT(NAME, T, S)                                           \
  {"cvt.rz.f32." NAME, convert<float, T, FE_TOWARDZERO>, "w=" S},      \
      {"cvt.rm.f32." NAME, convert<float, T, FE_DOWNWARD>, "w=" S},    \
      {"cvt.rp.f32." NAME, convert<float, T, FE_UPWARD>, "w=" S},      \
      {"cvt.rz.f64." NAME, convert<double, T, FE_TOWARDZERO>, "l=" S}, \
      {"cvt.rm.f64." NAME, convert<double, T, FE_DOWNWARD>, "l=" S}, { \
    "cvt.rp.f64." NAME, convert<double, T, FE_UPWARD>, "l=" S          \
  }
#define CARRY(T, S, L)                                        \
  {"add.cc." T, carry<S, false, false, true>, L "=" L L},     \
      {"addc." T, carry<S, false, true, false>, L "=" L L},   \
      {"addc.cc." T, carry<S, false, true, true>, L "=" L L}, \
      {"sub.cc." T, carry<S, true, false, true>, L "=" L L},  \
      {"subc." T, carry<S, true, true, false>, L "=" L L}, {  \
    "subc.cc." T, carry<S, true, true, true>, L "=" L L       \
  }
#define MAD_CARRY(T, U, S, L)                                             \
  {"mad.lo.cc." T, mad_carry<U, S, false, false, true>, L "=" L L L},     \
      {"mad.hi.cc." T, mad_carry<U, S, true, false, true>, L "=" L L L},  \
      {"madc.lo.cc." T, mad_carry<U, S, false, true, true>, L "=" L L L}, \
      {"madc.hi.cc." T, mad_carry<U, S, true, true, true>, L "=" L L L},  \
      {"madc.lo." T, mad_carry<U, S, false, true, false>, L "=" L L L}, { \
    "madc.hi." T, mad_carry<U, S, true, true, false>, L "=" L L L         \
  }

const HandlerEntry entries[] = {
    CARRY("u32", u32, "w"),
    CARRY("s32", u32, "w"),
    CARRY("b32", u32, "w"),
    CARRY("u64", u64, "l"),
    CARRY("s64", u64, "l"),
    CARRY("b64", u64, "l"),
    MAD_CARRY("u32", u32, u32, "w"),
    MAD_CARRY("s32", u32, s32, "w"),
    MAD_CARRY("u64", u64, u64, "l"),
    MAD_CARRY("s64", u64, std::int64_t, "l"),
    ROUNDED("add", FAdd),
    ROUNDED("sub", FSub),
    ROUNDED("mul", FMul),
    ROUNDED("div", FDiv),
    {"fma.rz.f32", directed<float, FFma, FE_TOWARDZERO>, "w=www"},
    {"fma.rm.f32", directed<float, FFma, FE_DOWNWARD>, "w=www"},
    {"fma.rp.f32", directed<float, FFma, FE_UPWARD>, "w=www"},
    {"fma.rz.f64", directed<double, FFma, FE_TOWARDZERO>, "l=lll"},
    {"fma.rm.f64", directed<double, FFma, FE_DOWNWARD>, "l=lll"},
    {"fma.rp.f64", directed<double, FFma, FE_UPWARD>, "l=lll"},
    ROUNDED1("sqrt", FSqrt),
    ROUNDED1("rcp", FRcp),
    FROM_INT("u32", u32, "w"),
    FROM_INT("s32", s32, "w"),
    FROM_INT("u64", u64, "l"),
    FROM_INT("s64", std::int64_t, "l"),
    {"cvt.rz.f32.f64", convert<float, double, FE_TOWARDZERO>, "w=l"},
    {"cvt.rm.f32.f64", convert<float, double, FE_DOWNWARD>, "w=l"},
    {"cvt.rp.f32.f64", convert<float, double, FE_UPWARD>, "w=l"},
    {"ftz.f32", flush_subnormals, "w=w"},
};

}  // namespace

HandlerTable rounded_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
