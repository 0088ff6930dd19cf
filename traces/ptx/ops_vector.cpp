// Arithmetic on rows of 32 lanes: compiled once per instruction set, STRATA_PTX_ISA names the namespace.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "traces/ptx/exec.h"

#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 32; ++i)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < 32; ++i)
#endif

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

template <class To, class From>
inline To as(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
template <class T>
inline void put(Warp& w, Row r, const T* result) {
  T* d = row_of<T>(w, r);
  if (w.mask == all_lanes) {
    LANES d[i] = result[i];
  } else {
    const s32* m = w.lane_mask;
    LANES d[i] = m[i] != 0 ? result[i] : d[i];
  }
}
inline u32 to_bits(const s32* lanes) {
#ifdef __SSE2__
  u32 bits = 0;
  for (int i = 0; i < 32; i += 16) {
    const auto* p = reinterpret_cast<const __m128i*>(lanes + i);
    const __m128i low = _mm_packs_epi32(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
    const __m128i high = _mm_packs_epi32(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
    bits |= static_cast<u32>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
  return bits;
#else
  u32 bits = 0;
  for (int i = 0; i < 32; ++i) bits |= static_cast<u32>(lanes[i] & 1) << i;
  return bits;
#endif
}

template <class F, class D, class A>
const Op* map1(Warp& w, const Op* op) {
  D* d = row_of<D>(w, op->d);
  const A* a = row_of<A>(w, op->a);
  if (w.mask == all_lanes) {
    LANES d[i] = F::f(a[i]);
  } else {
    const s32* m = w.lane_mask;
    LANES {
      const D r = F::f(a[i]);
      d[i] = m[i] != 0 ? r : d[i];
    }
  }
  return op + 1;
}
template <class F, class D, class A, class B>
const Op* map2(Warp& w, const Op* op) {
  D* d = row_of<D>(w, op->d);
  const A* a = row_of<A>(w, op->a);
  const B* b = row_of<B>(w, op->b);
  if (w.mask == all_lanes) {
    LANES d[i] = F::f(a[i], b[i]);
  } else {
    const s32* m = w.lane_mask;
    LANES {
      const D r = F::f(a[i], b[i]);
      d[i] = m[i] != 0 ? r : d[i];
    }
  }
  return op + 1;
}
template <class F, class D, class A, class B, class C>
const Op* map3(Warp& w, const Op* op) {
  D* d = row_of<D>(w, op->d);
  const A* a = row_of<A>(w, op->a);
  const B* b = row_of<B>(w, op->b);
  const C* c = row_of<C>(w, op->c);
  if (w.mask == all_lanes) {
    LANES d[i] = F::f(a[i], b[i], c[i]);
  } else {
    const s32* m = w.lane_mask;
    LANES {
      const D r = F::f(a[i], b[i], c[i]);
      d[i] = m[i] != 0 ? r : d[i];
    }
  }
  return op + 1;
}
inline float ftz(float x) {
  return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}
/// Comparison: op->code 0 none, 1 and, 2 or, 3 xor with predicate c; d2 gets the opposite comparison.
template <class F, class A>
const Op* compare(Warp& w, const Op* op) {
  const A* a = row_of<A>(w, op->a);
  const A* b = row_of<A>(w, op->b);
  alignas(64) s32 lanes[32];
  alignas(64) A flushed[2][32];
  if constexpr (std::is_same<A, float>::value) {
    if (op->offset != 0) {  // .ftz
      LANES flushed[0][i] = ftz(a[i]);
      LANES flushed[1][i] = ftz(b[i]);
      a = flushed[0];
      b = flushed[1];
    }
  }
  LANES lanes[i] = F::f(a[i], b[i]) ? -1 : 0;
  const u32 yes = to_bits(lanes);
  const auto combine = [&](u32 value) {
    if (op->code == 0) return value;
    const u32 c = *row_of<u32>(w, op->c) ^ ((op->flags & negate_c) != 0 ? all_lanes : 0);
    return op->code == 1 ? value & c : op->code == 2 ? value | c : value ^ c;
  };
  const u32 first = combine(yes), second = combine(~yes);
  if (op->d != no_row) {
    u32& d = *row_of<u32>(w, op->d);
    d = (d & ~w.mask) | (first & w.mask);
  }
  if (op->d2 != no_row) {
    u32& d = *row_of<u32>(w, op->d2);
    d = (d & ~w.mask) | (second & w.mask);
  }
  return op + 1;
}
/// set.cmp: all ones (or 1.0) where true.
template <class F, class A>
const Op* compare_set(Warp& w, const Op* op) {
  const A* a = row_of<A>(w, op->a);
  const A* b = row_of<A>(w, op->b);
  const u32 yes = op->code != 0 ? 0x3f800000u : all_lanes;
  alignas(64) u32 result[32];
  LANES result[i] = F::f(a[i], b[i]) ? yes : 0;
  put(w, op->d, result);
  return op + 1;
}
template <class T>
const Op* select(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  const T* b = row_of<T>(w, op->b);
  const u32 p = *row_of<u32>(w, op->c) ^ ((op->flags & negate_c) != 0 ? all_lanes : 0);
  alignas(64) T result[32];
  LANES result[i] = (p & (1u << i)) != 0 ? a[i] : b[i];
  put(w, op->d, result);
  return op + 1;
}

template <class T>
inline bool nan(T x) {
  return x != x;
}
template <class T>
inline T clamp01(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}  // NaN gives +0

#ifdef __FMA__
inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
#else
/// Exact product, sum rounded to odd in double precision, then to single: one rounding in effect
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
inline float fused(float a, float b, float c) {
  const double p = static_cast<double>(a) * b, s = p + c;
  const double t = s - p, e = (p - (s - t)) + (static_cast<double>(c) - t);
  u64 bits = as<u64>(s);
  const bool inexact = e > 0 || e < 0;
  const u64 step = (e > 0) == (s > 0) ? u64{1} : ~u64{0};
  bits = inexact && (bits & 1) == 0 ? bits + step : bits;
  return static_cast<float>(as<double>(bits));
}
#endif
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

#define F1(NAME, EXPR)          \
  struct NAME {                 \
    template <class A>          \
    static inline auto f(A a) { \
      return EXPR;              \
    }                           \
  };
#define F2(NAME, EXPR)               \
  struct NAME {                      \
    template <class A, class B>      \
    static inline auto f(A a, B b) { \
      return EXPR;                   \
    }                                \
  };
#define F3(NAME, EXPR)                    \
  struct NAME {                           \
    template <class A, class B, class C>  \
    static inline auto f(A a, B b, C c) { \
      return EXPR;                        \
    }                                     \
  };
// clang-format off
F1(Same, a)
F1(Not, static_cast<A>(~a))
F1(Neg, static_cast<A>(-a))
F1(Cnot, static_cast<A>(a == 0 ? 1 : 0))
F2(Add, static_cast<A>(a + b))
F2(Sub, static_cast<A>(a - b))
F2(Mul, static_cast<A>(a * b))
F2(Div, a / b)
F2(And, static_cast<A>(a & b))
F2(Or, static_cast<A>(a | b))
F2(Xor, static_cast<A>(a ^ b))
F2(Lt, a < b)
F2(Le, a <= b)
F2(Gt, a > b)
F2(Ge, a >= b)
F2(Eq, a == b)
F2(Neq, !nan(a) && !nan(b) && a != b)
F2(Ltu, !(a >= b))
F2(Leu, !(a > b))
F2(Gtu, !(a <= b))
F2(Geu, !(a < b))
F2(Equ, nan(a) || nan(b) || a == b)
F2(Neu, a != b)
F2(Num, !nan(a) && !nan(b))
F2(Nan, nan(a) || nan(b))
F2(MinI, a < b ? a : b)
F2(MaxI, a > b ? a : b)
F2(Shl, static_cast<A>(b >= sizeof(A) * 8 ? A(0) : static_cast<A>(a << (b & (sizeof(A) * 8 - 1)))))
F2(ShrU, static_cast<A>(b >= sizeof(A) * 8 ? A(0) : static_cast<A>(a >> (b & (sizeof(A) * 8 - 1)))))
F2(ShrS, static_cast<A>(a >> (b >= sizeof(A) * 8 ? sizeof(A) * 8 - 1 : b)))
F3(Fma, fused(a, b, c))
F3(FmaFtz, ftz(fused(ftz(a), ftz(b), ftz(c))))
F3(FmaSat, clamp01(fused(a, b, c)))
F3(FmaFtzSat, clamp01(ftz(fused(ftz(a), ftz(b), ftz(c)))))
F2(AddFtz, ftz(ftz(a) + ftz(b)))
F2(SubFtz, ftz(ftz(a) - ftz(b)))
F2(MulFtz, ftz(ftz(a) * ftz(b)))
F2(DivFtz, ftz(ftz(a) / ftz(b)))
F2(AddSat, clamp01(a + b))
F2(SubSat, clamp01(a - b))
F2(MulSat, clamp01(a * b))
F2(AddFtzSat, clamp01(ftz(ftz(a) + ftz(b))))
F2(SubFtzSat, clamp01(ftz(ftz(a) - ftz(b))))
F2(MulFtzSat, clamp01(ftz(ftz(a) * ftz(b))))
F3(Mad, static_cast<A>(a * b + c))
F1(NegFtz, ftz(-a))
// clang-format on
struct AbsF {
  static inline float f(float a) { return as<float>(as<u32>(a) & 0x7fffffffu); }
  static inline double f(double a) { return as<double>(as<u64>(a) & 0x7fffffffffffffffu); }
};
struct NegF {
  static inline float f(float a) { return as<float>(as<u32>(a) ^ 0x80000000u); }
  static inline double f(double a) { return as<double>(as<u64>(a) ^ 0x8000000000000000u); }
};
struct AbsFtz {
  static inline float f(float a) { return ftz(AbsF::f(a)); }
};
struct AbsI {
  template <class A>
  static inline A f(A a) {
    using U = std::make_unsigned_t<A>;
    return static_cast<A>(a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a));
  }
};
template <class T>
inline bool less(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
// clang-format off
F2(MinF, nan(a) ? b : nan(b) ? a : less(a, b) ? a : b)
F2(MaxF, nan(a) ? b : nan(b) ? a : less(a, b) ? b : a)
F2(MinNan, nan(a) ? a : nan(b) ? b : less(a, b) ? a : b)
F2(MaxNan, nan(a) ? a : nan(b) ? b : less(a, b) ? b : a)
F2(MinFtz, MinF::f(ftz(a), ftz(b)))
F2(MaxFtz, MaxF::f(ftz(a), ftz(b)))
F2(Copysign, std::copysign(b, a))  // sign of a, magnitude of b
// clang-format on
struct MulHi {
  static inline u16 f(u16 a, u16 b) { return static_cast<u16>(u32{a} * b >> 16); }
  static inline s16 f(s16 a, s16 b) { return static_cast<s16>(s32{a} * b >> 16); }
  static inline u32 f(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
  static inline s32 f(s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); }
  static inline u64 f(u64 a, u64 b) { return static_cast<u64>(u128{a} * b >> 64); }
  static inline s64 f(s64 a, s64 b) { return static_cast<s64>(s128{a} * b >> 64); }
};
struct MulLo16 {
  static inline u16 f(u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }
};
struct MadLo16 {
  static inline u16 f(u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }
};
template <class W>
struct MulWide {
  template <class A>
  static inline W f(A a, A b) {
    return static_cast<W>(a) * static_cast<W>(b);
  }
};
template <class W>
struct MadWide {
  template <class A>
  static inline W f(A a, A b, W c) {
    return static_cast<W>(static_cast<std::make_unsigned_t<W>>(static_cast<W>(a) * static_cast<W>(b)) +
                          static_cast<std::make_unsigned_t<W>>(c));
  }
};
struct MadHi {
  template <class A>
  static inline A f(A a, A b, A c) {
    using U = std::make_unsigned_t<A>;
    return static_cast<A>(static_cast<U>(MulHi::f(a, b)) + static_cast<U>(c));
  }
};
// Division by 0 gives all ones and the remainder is the dividend, as the machine does (PTX leaves it open).
struct DivI {
  template <class A>
  static inline A f(A a, A b) {
    if (b == 0) return static_cast<A>(~A(0));
    if (std::is_signed<A>::value && b == static_cast<A>(-1))
      return static_cast<A>(std::make_unsigned_t<A>(0) - static_cast<std::make_unsigned_t<A>>(a));
    return static_cast<A>(a / b);
  }
};
struct RemI {
  template <class A>
  static inline A f(A a, A b) {
    if (b == 0) return a;
    if (std::is_signed<A>::value && b == static_cast<A>(-1)) return 0;
    return static_cast<A>(a % b);
  }
};
struct AddSatI {
  static inline s32 f(s32 a, s32 b) {
    const s64 r = s64{a} + b;
    return r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : static_cast<s32>(r);
  }
};
struct SubSatI {
  static inline s32 f(s32 a, s32 b) {
    const s64 r = s64{a} - b;
    return r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : static_cast<s32>(r);
  }
};
// clang-format off
F3(Sad, static_cast<A>(c + (a < b ? b - a : a - b)))
F1(Rcp, A(1) / a)
F1(Sqrt, std::sqrt(a))
F1(SqrtFtz, ftz(std::sqrt(ftz(a))))
F1(RcpFtz, ftz(1.0f / ftz(a)))
F1(Rsqrt, static_cast<A>(1.0 / std::sqrt(static_cast<double>(a))))
F1(RsqrtFtz, static_cast<float>(1.0 / std::sqrt(static_cast<double>(ftz(a)))))
F1(SatF, clamp01(a))
// clang-format on

// Results of the approximate functions: computed in double precision and rounded once, the same on every
// machine.
inline double exp2_of(double x) {
  x = x > -1080 ? x : -1080;  // NaN as well: the caller keeps it
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
struct Ex2 {
  static inline float f(float a) { return nan(a) ? a : static_cast<float>(exp2_of(a)); }
};
struct Ex2Ftz {
  static inline float f(float a) { return ftz(Ex2::f(ftz(a))); }
};
inline float log2_of(float a) {
  const double x = a;  // subnormals are normal here
  const s64 bits = as<s64>(x);
  const s64 shifted = static_cast<s64>(
      static_cast<u64>(bits) - 0x3fe6a09e667f3bcd);  // so that the mantissa lies in sqrt(1/2) .. sqrt(2)
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
struct Lg2 {
  static inline float f(float a) {
    const float r = log2_of(a);
    return a > 0 ? (a <= 3.402823466e38f ? r : a) : a == 0 ? -HUGE_VALF : as<float>(0x7fffffffu);
  }
};
struct Lg2Ftz {
  static inline float f(float a) { return Lg2::f(ftz(a)); }
};
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
struct Sin {
  static inline float f(float a) { return trigonometric<false>(a); }
};
struct Cos {
  static inline float f(float a) { return trigonometric<true>(a); }
};
struct SinFtz {
  static inline float f(float a) { return ftz(trigonometric<false>(ftz(a))); }
};
struct CosFtz {
  static inline float f(float a) { return ftz(trigonometric<true>(ftz(a))); }
};
struct Tanh {
  static inline float f(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};

struct Popc {
  static inline u32 f(u32 a) {
    a = a - (a >> 1 & 0x55555555u);
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
  }
  static inline u32 f(u64 a) { return f(static_cast<u32>(a)) + f(static_cast<u32>(a >> 32)); }
};
struct Clz {
  static inline u32 f(u32 a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); }
  static inline u32 f(u64 a) { return a == 0 ? 64 : static_cast<u32>(__builtin_clzll(a)); }
};
struct Brev {
  static inline u32 f(u32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
  }
  static inline u64 f(u64 a) { return u64{f(static_cast<u32>(a))} << 32 | f(static_cast<u32>(a >> 32)); }
};
struct Bfind {
  static inline u32 f(u32 a) { return a == 0 ? all_lanes : 31 - static_cast<u32>(__builtin_clz(a)); }
  static inline u32 f(u64 a) { return a == 0 ? all_lanes : 63 - static_cast<u32>(__builtin_clzll(a)); }
  static inline u32 f(s32 a) { return f(static_cast<u32>(a < 0 ? ~a : a)); }
  static inline u32 f(s64 a) { return f(static_cast<u64>(a < 0 ? ~a : a)); }
};
struct BfindShift {
  template <class A>
  static inline u32 f(A a) {
    const u32 r = Bfind::f(a);
    return r == all_lanes ? r : static_cast<u32>(sizeof(A) * 8 - 1) - r;
  }
};
struct Bfe {
  template <class A>
  static inline A f(A a, u32 b, u32 c) {
    using U = std::make_unsigned_t<A>;
    const u32 width = sizeof(A) * 8, pos = b & 255, len = c & 255;
    if (len == 0) return 0;
    const u32 top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    const U fill = std::is_signed<A>::value && (static_cast<U>(a) >> top & 1) != 0 ? ~U(0) : U(0);
    if (pos >= width) return static_cast<A>(fill);
    const U field = static_cast<U>(a) >> pos;
    return static_cast<A>(len >= width ? (pos == 0 ? field : (field | (fill << (width - pos))))
                                       : ((field & ((U(1) << len) - 1)) |
                                          (pos + len > width ? fill << (width - pos) : (fill << len))));
  }
};
struct Prmt {
  static inline u32 f(u32 a, u32 b, u32 c) {
    const u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (int n = 0; n < 4; ++n) {
      const u32 s = c >> (4 * n) & 15;
      u32 v = static_cast<u32>(bytes >> (8 * (s & 7))) & 255;
      if ((s & 8) != 0) v = (v & 128) != 0 ? 255 : 0;
      result |= v << (8 * n);
    }
    return result;
  }
};
struct ShfLeftWrap {
  static inline u32 f(u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32); }
};
struct ShfLeftClamp {
  static inline u32 f(u32 a, u32 b, u32 c) {
    c = c > 32 ? 32 : c;
    return c == 32 ? a : static_cast<u32>((u64{b} << 32 | a) << c >> 32);
  }
};
struct ShfRightWrap {
  static inline u32 f(u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> (c & 31)); }
};
struct ShfRightClamp {
  static inline u32 f(u32 a, u32 b, u32 c) {
    c = c > 32 ? 32 : c;
    return static_cast<u32>((u64{b} << 32 | a) >> c);
  }
};
template <class T>
inline T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}
F2(Mul24, static_cast<A>(static_cast<u32>(low24(a)) * static_cast<u32>(low24(b))))
F3(Mad24, static_cast<A>(static_cast<u32>(low24(a)) * static_cast<u32>(low24(b)) + static_cast<u32>(c)))
template <class A, class B>
struct Dp4a {
  static inline u32 f(u32 a, u32 b, u32 c) {
    for (int n = 0; n < 4; ++n)
      c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 8 * n)) *
                            static_cast<s32>(static_cast<B>(b >> 8 * n)));
    return c;
  }
};

template <class T>
const Op* bit_insert(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  const u32 *c = row_of<u32>(w, op->c), *n = row_of<u32>(w, op->d2);
  alignas(64) T result[32];
  const u32 width = sizeof(T) * 8;
  LANES {
    const u32 pos = c[i] & 255, len = n[i] & 255;
    const T field = len >= width ? ~T(0) : static_cast<T>((T(1) << (len & (width - 1))) - 1);
    const T m = pos >= width ? T(0) : static_cast<T>(field << (pos & (width - 1)));
    result[i] = (b[i] & ~m) | (pos >= width ? T(0) : static_cast<T>(a[i] << (pos & (width - 1))) & m);
  }
  put(w, op->d, result);
  return op + 1;
}
const Op* lop3(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b), *c = row_of<u32>(w, op->c);
  const auto t = static_cast<u32>(op->offset);
  alignas(64) u32 result[32] = {};
  for (u32 k = 0; k < 8; ++k) {
    if ((t >> k & 1) == 0) continue;
    const u32 na = (k & 4) != 0 ? 0 : all_lanes, nb = (k & 2) != 0 ? 0 : all_lanes,
              nc = (k & 1) != 0 ? 0 : all_lanes;
    LANES result[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc);
  }
  put(w, op->d, result);
  return op + 1;
}

// --- conversions: rows of S to rows of D, through memory types of the instruction ---
template <class To>
struct Trunc {
  template <class A>
  static inline To f(A a) {
    return static_cast<To>(a);
  }
};
template <class M, class D>
struct Extend {
  template <class A>
  static inline D f(A a) {
    return static_cast<D>(static_cast<M>(a));
  }
};
/// Integer saturation: from the source type S to the range of M.
template <class S, class M, class D>
struct Saturate {
  template <class A>
  static inline D f(A a) {
    const auto v = static_cast<S>(a);
    const s128 x = v, lo = std::numeric_limits<M>::min(), hi = std::numeric_limits<M>::max();
    return static_cast<D>(static_cast<M>(x < lo ? lo : x > hi ? hi : x));
  }
};
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
/// Float to integer: op->code rounds (0 even, 1 to zero, 2 down, 3 up); always clamps; NaN is 0 (64 bits: the
/// machine gives the top bit).
template <class A, class M, class D>
const Op* float_to_int(Warp& w, const Op* op) {
  const A* a = row_of<A>(w, op->a);
  alignas(64) D result[32];
  const int mode = op->code & 3;
  const double low = static_cast<double>(std::numeric_limits<M>::min()),
               high = static_cast<double>(std::numeric_limits<M>::max());
  for (int i = 0; i < 32; ++i) {
    const double x = rounded(
        (op->code & 16) != 0 ? static_cast<double>(ftz(static_cast<float>(a[i]))) : static_cast<double>(a[i]),
        mode);
    M v;
    if (nan(x))
      v = sizeof(M) == 8 ? static_cast<M>(u64{1} << 63) : M(0);
    else if (x <= low)
      v = std::numeric_limits<M>::min();
    else if (x >= high)
      v = std::numeric_limits<M>::max();
    else
      v = static_cast<M>(x);
    result[i] = static_cast<D>(v);
  }
  put(w, op->d, result);
  return op + 1;
}
template <class S, class D>
const Op* round_float(Warp& w, const Op* op) {  // cvt.rXi.f.f
  const S* a = row_of<S>(w, op->a);
  alignas(64) D result[32];
  const int mode = op->code & 3;
  for (int i = 0; i < 32; ++i) {
    S x = a[i];
    if ((op->code & 16) != 0) x = static_cast<S>(ftz(static_cast<float>(x)));
    auto v = static_cast<D>(rounded(x, mode));
    if ((op->code & 8) != 0) v = clamp01(v);
    result[i] = v;
  }
  put(w, op->d, result);
  return op + 1;
}
#include "traces/ptx/vector_table.inc"

}  // namespace

HandlerTable vector_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
