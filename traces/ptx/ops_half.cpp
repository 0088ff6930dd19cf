// Arithmetic of 16-bit floats: computed in double precision and rounded once to the 16 bits. Sums, products
// and quotients of 11-bit significands are exact enough in 53 bits for that; fused products are rounded to
// odd.
#include <cmath>
#include <cstring>

#include "traces/ptx/lanes.h"

namespace strata::traces::ptx {
namespace {

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
  static u16 narrow(double x) {
    const u16 sign = std::signbit(x) ? 0x8000 : 0;
    if (x != x) return 0x7fff;
    x = std::fabs(x);
    const u16 infinite = static_cast<u16>((2 * Bias + 1) << Bits);
    if (x == HUGE_VAL) return sign | infinite;
    if (x == 0) return sign;
    int e;
    std::frexp(x, &e);  // x = f * 2^e, f in [0.5, 1)
    const int exponent = e - 1 < 1 - Bias ? 1 - Bias : e - 1;
    const double scaled = std::nearbyint(std::ldexp(x, Bits - exponent));  // to even
    const auto whole = static_cast<u32>(scaled);
    const u32 bits = static_cast<u32>((exponent + Bias - 1) << Bits) + whole;
    return static_cast<u16>(sign | (bits >= infinite ? infinite : bits));
  }
};
using Half = Format<10, 15>;
using Brain = Format<7, 127>;

double odd_fma(double a, double b, double c) {
  const double p = a * b, s = p + c, t = s - p, e = (p - (s - t)) + (c - t);
  u64 bits;
  std::memcpy(&bits, &s, 8);
  if ((e > 0 || e < 0) && (bits & 1) == 0) bits += (e > 0) == (s > 0) ? u64{1} : ~u64{0};
  double r;
  std::memcpy(&r, &bits, 8);
  return r;
}
bool active(const Warp& w, int lane) {
  return (w.mask >> lane & 1) != 0;
}

struct Add {
  static double f(double a, double b, double) { return a + b; }
};
struct Sub {
  static double f(double a, double b, double) { return a - b; }
};
struct Mul {
  static double f(double a, double b, double) { return a * b; }
};
struct Fma {
  static double f(double a, double b, double c) { return odd_fma(a, b, c); }
};
struct Min {
  static double f(double a, double b, double) {
    return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Max {
  static double f(double a, double b, double) {
    return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? b : a;
  }
};
struct Neg {
  static double f(double a, double, double) { return -a; }
};
struct Abs {
  static double f(double a, double, double) { return std::fabs(a); }
};
struct Ex2 {
  static double f(double a, double, double) { return std::exp2(a); }
};
struct Tanh {
  static double f(double a, double, double) { return std::tanh(a); }
};

/// `Pairs`: two values in each 32-bit lane.
template <class H, class F, bool Pairs>
const Op* map(Warp& w, const Op* op) {
  constexpr int n = Pairs ? 64 : 32;
  const u16 *a = row_of<u16>(w, op->a), *b = op->b == no_row ? a : row_of<u16>(w, op->b),
            *c = op->c == no_row ? a : row_of<u16>(w, op->c);
  u16* d = row_of<u16>(w, op->d);
  u16 result[n];
  for (int i = 0; i < n; ++i) result[i] = H::narrow(F::f(H::widen(a[i]), H::widen(b[i]), H::widen(c[i])));
  for (int i = 0; i < n; ++i)
    if (active(w, Pairs ? i / 2 : i)) d[i] = result[i];
  return op + 1;
}
struct Lt {
  static bool f(double a, double b) { return a < b; }
};
struct Le {
  static bool f(double a, double b) { return a <= b; }
};
struct Gt {
  static bool f(double a, double b) { return a > b; }
};
struct Ge {
  static bool f(double a, double b) { return a >= b; }
};
struct Eq {
  static bool f(double a, double b) { return a == b; }
};
struct Ne {
  static bool f(double a, double b) { return a < b || a > b; }
};
struct Neu {
  static bool f(double a, double b) { return a != b; }
};
struct Ltu {
  static bool f(double a, double b) { return !(a >= b); }
};
struct Leu {
  static bool f(double a, double b) { return !(a > b); }
};
struct Gtu {
  static bool f(double a, double b) { return !(a <= b); }
};
struct Geu {
  static bool f(double a, double b) { return !(a < b); }
};
template <class H, class F>
const Op* compare(Warp& w, const Op* op) {
  const u16 *a = row_of<u16>(w, op->a), *b = row_of<u16>(w, op->b);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) yes |= static_cast<u32>(F::f(H::widen(a[i]), H::widen(b[i]))) << i;
  const auto put = [&](Row to, u32 value) {
    if (to == no_row) return;
    if (op->code != 0) {
      const u32 c = *row_of<u32>(w, op->c) ^ ((op->flags & negate_c) != 0 ? all_lanes : 0);
      value = op->code == 1 ? value & c : op->code == 2 ? value | c : value ^ c;
    }
    u32& d = *row_of<u32>(w, to);
    d = (d & ~w.mask) | (value & w.mask);
  };
  put(op->d, yes);
  put(op->d2, ~yes);
  return op + 1;
}
template <class H, class T>
const Op* from(Warp& w, const Op* op) {  // T to half
  const T* a = row_of<T>(w, op->a);
  u16* d = row_of<u16>(w, op->d);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = H::narrow(static_cast<double>(a[i]));
  return op + 1;
}
template <class H, class T>
const Op* to(Warp& w, const Op* op) {  // half to float or double
  const u16* a = row_of<u16>(w, op->a);
  T result[32];
  for (int i = 0; i < 32; ++i) result[i] = static_cast<T>(H::widen(a[i]));
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) row_of<T>(w, op->d)[i] = result[i];
  return op + 1;
}
template <class T, int Mode>
const Op* to_int(Warp& w, const Op* op) {
  const u16* a = row_of<u16>(w, op->a);
  T result[32];
  for (int i = 0; i < 32; ++i) {
    double x = Half::widen(a[i]);
    x = Mode == 0 ? std::nearbyint(x) : Mode == 1 ? std::trunc(x) : Mode == 2 ? std::floor(x) : std::ceil(x);
    const bool is_signed = T(-1) < T(0);
    const double high = std::ldexp(1.0, static_cast<int>(sizeof(T) * 8) - (is_signed ? 1 : 0)),
                 low = is_signed ? -high : 0;
    result[i] = x != x      ? T(0)
                : x >= high ? static_cast<T>(is_signed ? ~(T(1) << (sizeof(T) * 8 - 1)) : ~T(0))
                : x <= low  ? static_cast<T>(is_signed ? T(1) << (sizeof(T) * 8 - 1) : T(0))
                            : static_cast<T>(x);
  }
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) row_of<T>(w, op->d)[i] = result[i];
  return op + 1;
}
template <class H>
const Op* pair_from(Warp& w, const Op* op) {  // cvt.rn.f16x2.f32 d, a, b: a is the upper half
  const float *a = row_of<float>(w, op->a), *b = row_of<float>(w, op->b);
  u32 result[32];
  for (int i = 0; i < 32; ++i)
    result[i] =
        static_cast<u32>(H::narrow(static_cast<double>(a[i]))) << 16 | H::narrow(static_cast<double>(b[i]));
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) row_of<u32>(w, op->d)[i] = result[i];
  return op + 1;
}

#define ARITHMETIC(T, H, P, L)                                                        \
  {"add." T, map<H, Add, P>, L "=" L L}, {"sub." T, map<H, Sub, P>, L "=" L L},       \
      {"mul." T, map<H, Mul, P>, L "=" L L}, {"fma." T, map<H, Fma, P>, L "=" L L L}, \
      {"min." T, map<H, Min, P>, L "=" L L}, {"max." T, map<H, Max, P>, L "=" L L},   \
      {"neg." T, map<H, Neg, P>, L "=" L}, {"abs." T, map<H, Abs, P>, L "=" L},       \
      {"ex2." T, map<H, Ex2, P>, L "=" L}, {                                          \
    "tanh." T, map<H, Tanh, P>, L "=" L                                               \
  }
#define COMPARE(T, H)                                                                       \
  {"setp.lt." T, compare<H, Lt>, "p=hh"}, {"setp.le." T, compare<H, Le>, "p=hh"},           \
      {"setp.gt." T, compare<H, Gt>, "p=hh"}, {"setp.ge." T, compare<H, Ge>, "p=hh"},       \
      {"setp.eq." T, compare<H, Eq>, "p=hh"}, {"setp.ne." T, compare<H, Ne>, "p=hh"},       \
      {"setp.neu." T, compare<H, Neu>, "p=hh"}, {"setp.ltu." T, compare<H, Ltu>, "p=hh"},   \
      {"setp.leu." T, compare<H, Leu>, "p=hh"}, {"setp.gtu." T, compare<H, Gtu>, "p=hh"}, { \
    "setp.geu." T, compare<H, Geu>, "p=hh"                                                  \
  }
#define TO_INT(T, C, L)                                                                           \
  {"cvt.rni." T ".f16", to_int<C, 0>, L "=h"}, {"cvt.rzi." T ".f16", to_int<C, 1>, L "=h"},       \
      {"cvt.rmi." T ".f16", to_int<C, 2>, L "=h"}, {"cvt.rpi." T ".f16", to_int<C, 3>, L "=h"}, { \
    "cvt.f16." T, from<Half, C>, "h=" L                                                           \
  }

const HandlerEntry entries[] = {
    ARITHMETIC("f16", Half, false, "h"),
    ARITHMETIC("f16x2", Half, true, "w"),
    ARITHMETIC("bf16", Brain, false, "h"),
    ARITHMETIC("bf16x2", Brain, true, "w"),
    COMPARE("f16", Half),
    COMPARE("bf16", Brain),
    {"cvt.f16.f32", from<Half, float>, "h=w"},
    {"cvt.f16.f64", from<Half, double>, "h=l"},
    {"cvt.bf16.f32", from<Brain, float>, "h=w"},
    {"cvt.f32.f16", to<Half, float>, "w=h"},
    {"cvt.f64.f16", to<Half, double>, "l=h"},
    {"cvt.f32.bf16", to<Brain, float>, "w=h"},
    {"cvt.f16x2.f32", pair_from<Half>, "w=ww"},
    {"cvt.bf16x2.f32", pair_from<Brain>, "w=ww"},
    TO_INT("s16", std::int16_t, "h"),
    TO_INT("u16", u16, "h"),
    TO_INT("s32", std::int32_t, "w"),
    TO_INT("u32", u32, "w"),
    TO_INT("s64", std::int64_t, "l"),
    TO_INT("u64", u64, "l"),
};

}  // namespace

HandlerTable half_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
