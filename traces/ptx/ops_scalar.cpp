// Instructions that look across lanes, and the rare ones.
#include <cfenv>
#include <cmath>
#include <cstring>

#include "traces/ptx/exec.h"

namespace strata::traces::ptx {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

bool active(const Warp& w, int lane) {
  return (w.mask >> lane & 1) != 0;
}
template <class T>
void put(Warp& w, Row to, const T* values) {
  T* d = row_of<T>(w, to);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = values[i];
}
template <class T>
void put_all(Warp& w, Row to, T value) {
  T* d = row_of<T>(w, to);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = value;
}
void put_predicate(Warp& w, Row to, u32 bits) {
  u32& d = *row_of<u32>(w, to);
  d = (d & ~w.mask) | (bits & w.mask);
}
u32 predicate(const Warp& w, Row from, bool negated) {
  return *row_of<u32>(w, from) ^ (negated ? all_lanes : 0);
}

enum class Shuffle { up, down, bfly, idx };
/// PTX ISA, "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
template <Shuffle Mode>
const Op* shuffle(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b), *c = row_of<u32>(w, op->c);
  u32 result[32], inside = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int clamp = static_cast<int>(c[lane] & 31), segment = static_cast<int>(c[lane] >> 8 & 31),
              by = static_cast<int>(b[lane] & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = lane;
    bool ok = false;
    switch (Mode) {
      case Shuffle::up:
        from = lane - by;
        ok = from >= most;
        break;
      case Shuffle::down:
        from = lane + by;
        ok = from <= most;
        break;
      case Shuffle::bfly:
        from = lane ^ by;
        ok = from <= most;
        break;
      case Shuffle::idx:
        from = least | (by & ~segment);
        ok = from <= most;
        break;
    }
    if (!ok) from = lane;
    result[lane] = a[from];
    inside |= static_cast<u32>(ok) << lane;
  }
  put(w, op->d, result);
  if (op->d2 != no_row) put_predicate(w, op->d2, inside);
  return op + 1;
}

enum class Vote { all, any, uni, ballot };
template <Vote Mode>
const Op* vote(Warp& w, const Op* op) {
  const u32 yes = predicate(w, op->a, (op->flags & negate_a) != 0) & w.mask;
  if (Mode == Vote::ballot) {
    put_all(w, op->d, yes);
    return op + 1;
  }
  const bool result = Mode == Vote::all   ? yes == w.mask
                      : Mode == Vote::any ? yes != 0
                                          : yes == 0 || yes == w.mask;
  put_predicate(w, op->d, result ? all_lanes : 0);
  return op + 1;
}
const Op* active_mask(Warp& w, const Op* op) {
  put_all(w, op->d, w.mask);
  return op + 1;
}
template <class T, bool All>
const Op* match(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  u32 result[32] = {};
  for (int i = 0; i < 32; ++i)
    for (int k = 0; k < 32; ++k)
      if (active(w, k) && a[k] == a[i]) result[i] |= 1u << k;
  const bool same = result[__builtin_ctz(w.mask)] == w.mask;
  if (All) {
    for (u32& r : result) r = same ? w.mask : 0;
    if (op->d2 != no_row) put_predicate(w, op->d2, same ? all_lanes : 0);
  }
  put(w, op->d, result);
  return op + 1;
}
template <class T, class F>
const Op* reduce(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  T value = a[__builtin_ctz(w.mask)];
  for (u32 left = w.mask & (w.mask - 1); left != 0; left &= left - 1)
    value = F::f(value, a[__builtin_ctz(left)]);
  put_all(w, op->d, value);
  return op + 1;
}
struct Add {
  template <class T>
  static T f(T a, T b) {
    return a + b;
  }
};
struct Min {
  template <class T>
  static T f(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T f(T a, T b) {
    return a > b ? a : b;
  }
};
struct And {
  template <class T>
  static T f(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return a ^ b;
  }
};

template <class F>
const Op* predicates(Warp& w, const Op* op) {
  put_predicate(w, op->d,
                F::f(predicate(w, op->a, (op->flags & negate_a) != 0),
                     predicate(w, op->b, (op->flags & negate_b) != 0)));
  return op + 1;
}
const Op* not_predicate(Warp& w, const Op* op) {
  put_predicate(w, op->d, ~predicate(w, op->a, (op->flags & negate_a) != 0));
  return op + 1;
}
const Op* move_predicate(Warp& w, const Op* op) {
  put_predicate(w, op->d, predicate(w, op->a, (op->flags & negate_a) != 0));
  return op + 1;
}

template <class Whole, class Part>
const Op* pack(Warp& w, const Op* op) {
  Whole result[32] = {};
  for (u32 n = 0; n < op->count; ++n) {
    const Part* part = row_of<Part>(w, op->rows[n]);
    for (int i = 0; i < 32; ++i)
      result[i] = static_cast<Whole>(result[i] | static_cast<Whole>(part[i]) << (n * sizeof(Part) * 8));
  }
  put(w, op->d, result);
  return op + 1;
}
template <class Whole, class Part>
const Op* unpack(Warp& w, const Op* op) {
  Whole whole[32];
  std::memcpy(whole, row(w, op->a), sizeof(whole));  // a destination may be the source
  for (u32 n = 0; n < op->count; ++n) {
    Part part[32];
    for (int i = 0; i < 32; ++i) part[i] = static_cast<Part>(whole[i] >> (n * sizeof(Part) * 8));
    put(w, op->rows[n], part);
  }
  return op + 1;
}
template <class T>
const Op* clock(Warp& w, const Op* op) {
  put_all(w, op->d, static_cast<T>(w.recorded + w.run + w.executed));
  return op + 1;
}
template <u64 Window>
const Op* is_space(Warp& w, const Op* op) {
  const u64* a = row_of<u64>(w, op->a);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) {
    const bool other = a[i] - shared_window < window_bytes || a[i] - local_window < window_bytes ||
                       a[i] - param_window < window_bytes;
    yes |= static_cast<u32>(Window == 0 ? !other : a[i] - Window < window_bytes) << i;
  }
  put_predicate(w, op->d, yes);
  return op + 1;
}

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
/// bmsk, szext, fns and others are rare enough to be refused.

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
    {"shfl.sync.up.b32", shuffle<Shuffle::up>, "w=www"},
    {"shfl.sync.down.b32", shuffle<Shuffle::down>, "w=www"},
    {"shfl.sync.bfly.b32", shuffle<Shuffle::bfly>, "w=www"},
    {"shfl.sync.idx.b32", shuffle<Shuffle::idx>, "w=www"},
    {"vote.sync.all.pred", vote<Vote::all>, "p=p"},
    {"vote.sync.any.pred", vote<Vote::any>, "p=p"},
    {"vote.sync.uni.pred", vote<Vote::uni>, "p=p"},
    {"vote.sync.ballot.b32", vote<Vote::ballot>, "w=p"},
    {"activemask.b32", active_mask, "w="},
    {"match.any.sync.b32", match<u32, false>, "w=w"},
    {"match.any.sync.b64", match<u64, false>, "w=l"},
    {"match.all.sync.b32", match<u32, true>, "w=w"},
    {"match.all.sync.b64", match<u64, true>, "w=l"},
    {"redux.sync.add.u32", reduce<u32, Add>, "w=w"},
    {"redux.sync.add.s32", reduce<u32, Add>, "w=w"},
    {"redux.sync.min.u32", reduce<u32, Min>, "w=w"},
    {"redux.sync.max.u32", reduce<u32, Max>, "w=w"},
    {"redux.sync.min.s32", reduce<s32, Min>, "w=w"},
    {"redux.sync.max.s32", reduce<s32, Max>, "w=w"},
    {"redux.sync.and.b32", reduce<u32, And>, "w=w"},
    {"redux.sync.or.b32", reduce<u32, Or>, "w=w"},
    {"redux.sync.xor.b32", reduce<u32, Xor>, "w=w"},
    {"and.pred", predicates<And>, "p=pp"},
    {"or.pred", predicates<Or>, "p=pp"},
    {"xor.pred", predicates<Xor>, "p=pp"},
    {"not.pred", not_predicate, "p=p"},
    {"mov.pred", move_predicate, "p=p"},
    {"pack.wh", pack<u32, u16>, ""},
    {"pack.lh", pack<u64, u16>, ""},
    {"pack.lw", pack<u64, u32>, ""},
    {"unpack.wh", unpack<u32, u16>, ""},
    {"unpack.lh", unpack<u64, u16>, ""},
    {"unpack.lw", unpack<u64, u32>, ""},
    {"pack.ww", pack<u32, u32>, ""},
    {"unpack.ww", unpack<u32, u32>, ""},
    {"pack.hh", pack<u16, u16>, ""},
    {"unpack.hh", unpack<u16, u16>, ""},
    {"clock.w", clock<u32>, "w="},
    {"clock.l", clock<u64>, "l="},
    {"isspacep.global", is_space<0>, "p=l"},
    {"isspacep.shared", is_space<shared_window>, "p=l"},
    {"isspacep.local", is_space<local_window>, "p=l"},
    {"isspacep.param", is_space<param_window>, "p=l"},
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

HandlerTable scalar_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
