// Arithmetic on rows of 32 lanes: compiled once per instruction set, STRATA_PTX_ISA names the namespace.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "traces/ptx/lanes.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

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

#include "traces/ptx/lane_operations.inc"

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
    if (nan(x))  // PTX ISA, "cvt", integer notes: 0 unless a side has 64 bits
      v = sizeof(M) == 8 || sizeof(A) == 8 ? static_cast<M>(u64{1} << (8 * sizeof(M) - 1)) : M(0);
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
