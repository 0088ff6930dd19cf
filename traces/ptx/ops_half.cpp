// Arithmetic of 16-bit floats: computed in double precision and rounded once to the 16 bits. Sums, products
// and quotients of 11-bit significands are exact enough in 53 bits for that; fused products are rounded to
// odd.
#include <cmath>
#include <cstring>

#include "traces/ptx/half_format.h"

namespace strata::traces::ptx {
namespace {

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
struct MinNan {
  static double f(double a, double b, double c) { return a != a || b != b ? NAN : Min::f(a, b, c); }
};
struct MaxNan {
  static double f(double a, double b, double c) { return a != a || b != b ? NAN : Max::f(a, b, c); }
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

/// `.sat`: to [0, 1], NaN becomes 0.
template <class F>
struct Saturated {
  static double f(double a, double b, double c) {
    const double r = F::f(a, b, c);
    return r > 0 ? std::fmin(r, 1.0) : 0.0;
  }
};
/// `.relu`: negative results become 0, NaN stays.
template <class F>
struct Relu {
  static double f(double a, double b, double c) {
    const double r = F::f(a, b, c);
    return r < 0 ? 0.0 : r;
  }
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
struct Num {
  static bool f(double a, double b) { return a == a && b == b; }
};
struct Nan {
  static bool f(double a, double b) { return a != a || b != b; }
};
struct Equ {
  static bool f(double a, double b) { return !(a < b || a > b); }
};
/// `set`: code 0 gives all ones or 0, code 1 gives 1.0 or 0.0; T has the bits of the result.
template <class H, class F, class T, bool Pairs>
const Op* compare_set(Warp& w, const Op* op) {
  constexpr int n = Pairs ? 64 : 32;
  const u16 *a = row_of<u16>(w, op->a), *b = row_of<u16>(w, op->b);
  const T yes = op->code == 0    ? static_cast<T>(~T(0))
                : sizeof(T) == 2 ? static_cast<T>(H::narrow(1.0))
                                 : static_cast<T>(0x3f800000);  // 1.0f
  T result[n];
  for (int i = 0; i < n; ++i) result[i] = F::f(H::widen(a[i]), H::widen(b[i])) ? yes : T(0);
  for (int i = 0; i < n; ++i)
    if (active(w, Pairs ? i / 2 : i)) row_of<T>(w, op->d)[i] = result[i];
  return op + 1;
}
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
template <class H, class T, int Mode = 0>
const Op* from(Warp& w, const Op* op) {  // T to half
  const T* a = row_of<T>(w, op->a);
  u16* d = row_of<u16>(w, op->d);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = H::template narrow<Mode>(static_cast<double>(a[i]));
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
template <class H, class G>
const Op* between(Warp& w, const Op* op) {  // half to another half
  const u16* a = row_of<u16>(w, op->a);
  u16* d = row_of<u16>(w, op->d);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = G::narrow(H::widen(a[i]));
  return op + 1;
}
template <int Mode>
double integral(double x) {
  return Mode == 0 ? std::nearbyint(x) : Mode == 1 ? std::trunc(x) : Mode == 2 ? std::floor(x) : std::ceil(x);
}
template <class H, int Mode>
const Op* to_integral(Warp& w, const Op* op) {
  const u16* a = row_of<u16>(w, op->a);
  u16* d = row_of<u16>(w, op->d);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = H::narrow(integral<Mode>(H::widen(a[i])));
  return op + 1;
}
template <class H, class T, int Mode>
const Op* to_int(Warp& w, const Op* op) {
  const u16* a = row_of<u16>(w, op->a);
  T result[32];
  for (int i = 0; i < 32; ++i) {
    const double x = integral<Mode>(H::widen(a[i]));
    const bool is_signed = T(-1) < T(0);
    const double high = std::ldexp(1.0, static_cast<int>(sizeof(T) * 8) - (is_signed ? 1 : 0)),
                 low = is_signed ? -high : 0;
    result[i] = x != x      ? (sizeof(T) == 8 ? static_cast<T>(u64{1} << 63) : T(0))
                : x >= high ? static_cast<T>(is_signed ? ~(T(1) << (sizeof(T) * 8 - 1)) : ~T(0))
                : x <= low  ? static_cast<T>(is_signed ? T(1) << (sizeof(T) * 8 - 1) : T(0))
                            : static_cast<T>(x);
  }
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) row_of<T>(w, op->d)[i] = result[i];
  return op + 1;
}
template <class H, int Mode, bool NoNegative>
const Op* pair_from(Warp& w, const Op* op) {  // cvt.rn.f16x2.f32 d, a, b: a is the upper half
  const float *a = row_of<float>(w, op->a), *b = row_of<float>(w, op->b);
  const auto narrow = [](float x) -> u32 {
    return H::template narrow<Mode>(NoNegative && x < 0 ? 0.0 : static_cast<double>(x));
  };
  u32 result[32];
  for (int i = 0; i < 32; ++i) result[i] = narrow(a[i]) << 16 | narrow(b[i]);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) row_of<u32>(w, op->d)[i] = result[i];
  return op + 1;
}

#define ARITHMETIC(T, H, P, L)                                                                    \
  {"add." T, map<H, Add, P>, L "=" L L}, {"sub." T, map<H, Sub, P>, L "=" L L},                   \
      {"mul." T, map<H, Mul, P>, L "=" L L}, {"fma." T, map<H, Fma, P>, L "=" L L L},             \
      {"min." T, map<H, Min, P>, L "=" L L}, {"max." T, map<H, Max, P>, L "=" L L},               \
      {"min.NaN." T, map<H, MinNan, P>, L "=" L L}, {"max.NaN." T, map<H, MaxNan, P>, L "=" L L}, \
      {"add.sat." T, map<H, Saturated<Add>, P>, L "=" L L},                                       \
      {"sub.sat." T, map<H, Saturated<Sub>, P>, L "=" L L},                                       \
      {"mul.sat." T, map<H, Saturated<Mul>, P>, L "=" L L},                                       \
      {"fma.sat." T, map<H, Saturated<Fma>, P>, L "=" L L L},                                     \
      {"fma.relu." T, map<H, Relu<Fma>, P>, L "=" L L L}, {"neg." T, map<H, Neg, P>, L "=" L},    \
      {"abs." T, map<H, Abs, P>, L "=" L}, {"ex2." T, map<H, Ex2, P>, L "=" L}, {                 \
    "tanh." T, map<H, Tanh, P>, L "=" L                                                           \
  }
#define COMPARISON(T, H, NAME, F)                                                                          \
  {"setp." NAME "." T, compare<H, F>, "p=hh"}, {"set." NAME "." T, compare_set<H, F, u16, false>, "h=hh"}, \
      {"set." NAME "." T ".w", compare_set<H, F, u32, false>, "w=hh"}, {                                   \
    "set." NAME "." T "x2", compare_set<H, F, u16, true>, "w=ww"                                           \
  }
#define COMPARE(T, H)                                                                           \
  COMPARISON(T, H, "lt", Lt), COMPARISON(T, H, "le", Le), COMPARISON(T, H, "gt", Gt),           \
      COMPARISON(T, H, "ge", Ge), COMPARISON(T, H, "eq", Eq), COMPARISON(T, H, "ne", Ne),       \
      COMPARISON(T, H, "neu", Neu), COMPARISON(T, H, "ltu", Ltu), COMPARISON(T, H, "leu", Leu), \
      COMPARISON(T, H, "gtu", Gtu), COMPARISON(T, H, "geu", Geu), COMPARISON(T, H, "equ", Equ), \
      COMPARISON(T, H, "num", Num), COMPARISON(T, H, "nan", Nan)
#define INTEGER(N, H, T, C, L)                                                                      \
  {"cvt.rni." T "." N, to_int<H, C, 0>, L "=h"}, {"cvt.rzi." T "." N, to_int<H, C, 1>, L "=h"},     \
      {"cvt.rmi." T "." N, to_int<H, C, 2>, L "=h"}, {"cvt.rpi." T "." N, to_int<H, C, 3>, L "=h"}, \
      {"cvt." N "." T, from<H, C>, "h=" L}, {"cvt.rz." N "." T, from<H, C, 1>, "h=" L},             \
      {"cvt.rm." N "." T, from<H, C, 2>, "h=" L}, {                                                 \
    "cvt.rp." N "." T, from<H, C, 3>, "h=" L                                                        \
  }
#define INTEGERS(N, H)                                                         \
  INTEGER(N, H, "s16", std::int16_t, "h"), INTEGER(N, H, "u16", u16, "h"),     \
      INTEGER(N, H, "s32", std::int32_t, "w"), INTEGER(N, H, "u32", u32, "w"), \
      INTEGER(N, H, "s64", std::int64_t, "l"), INTEGER(N, H, "u64", u64, "l")
#define REAL(N, H, T, C, L)                                                                     \
  {"cvt." N "." T, from<H, C>, "h=" L}, {"cvt.rz." N "." T, from<H, C, 1>, "h=" L},             \
      {"cvt.rm." N "." T, from<H, C, 2>, "h=" L}, {"cvt.rp." N "." T, from<H, C, 3>, "h=" L}, { \
    "cvt." T "." N, to<H, C>, L "=h"                                                            \
  }
#define CONVERT(N, H)                                                                                 \
  REAL(N, H, "f32", float, "w"), REAL(N, H, "f64", double, "l"), INTEGERS(N, H),                      \
      {"cvt.rni." N "." N, to_integral<H, 0>, "h=h"}, {"cvt.rzi." N "." N, to_integral<H, 1>, "h=h"}, \
      {"cvt.rmi." N "." N, to_integral<H, 2>, "h=h"}, {"cvt.rpi." N "." N, to_integral<H, 3>, "h=h"}, \
      {"cvt." N "x2.f32", pair_from<H, 0, false>, "w=ww"},                                            \
      {"cvt.rz." N "x2.f32", pair_from<H, 1, false>, "w=ww"},                                         \
      {"cvt.relu." N "x2.f32", pair_from<H, 0, true>, "w=ww"}, {                                      \
    "cvt.rz.relu." N "x2.f32", pair_from<H, 1, true>, "w=ww"                                          \
  }

const HandlerEntry entries[] = {
    ARITHMETIC("f16", Half, false, "h"),
    ARITHMETIC("f16x2", Half, true, "w"),
    ARITHMETIC("bf16", Brain, false, "h"),
    ARITHMETIC("bf16x2", Brain, true, "w"),
    COMPARE("f16", Half),
    COMPARE("bf16", Brain),
    CONVERT("f16", Half),
    CONVERT("bf16", Brain),
    {"cvt.bf16.f16", between<Half, Brain>, "h=h"},
    {"cvt.f16.bf16", between<Brain, Half>, "h=h"},
};

}  // namespace

HandlerTable half_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
