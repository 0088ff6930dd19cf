// Instructions that look across lanes, and the rare ones.
#include <cstring>

#include "traces/ptx/scalar_lanes.h"

namespace strata::traces::ptx {
namespace {

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

/// The lanes that meet at this instruction, set by set: those that name each other in the member mask (row
/// b). The tiles of cooperative groups give each its own mask.
template <class Visit>
void for_each_group(const Warp& w, const Op* op, Visit visit) {
  const u32* members = op->b == no_row ? nullptr : row_of<u32>(w, op->b);
  for (u32 left = w.mask; left != 0;) {
    const int first = __builtin_ctz(left);
    u32 group = left;
    if (members != nullptr) {
      group = 1u << first;
      for (u32 rest = left & members[first]; rest != 0; rest &= rest - 1)
        if (members[__builtin_ctz(rest)] == members[first]) group |= rest & (~rest + 1);
    }
    left &= ~group;
    visit(group);
  }
}
/// Give `value` to the lanes of `group`.
void put_group(Warp& w, Row to, u32 group, u32 value) {
  for (u32 rest = group; rest != 0; rest &= rest - 1) row_of<u32>(w, to)[__builtin_ctz(rest)] = value;
}

enum class Vote { all, any, uni, ballot };
template <Vote Mode>
const Op* vote(Warp& w, const Op* op) {
  const u32 all = predicate(w, op->a, (op->flags & negate_a) != 0);
  u32 results = 0;
  for_each_group(w, op, [&](u32 group) {
    const u32 yes = all & group;
    if (Mode == Vote::ballot) return put_group(w, op->d, group, yes);
    const bool result = Mode == Vote::all   ? yes == group
                        : Mode == Vote::any ? yes != 0
                                            : yes == 0 || yes == group;
    results |= result ? group : 0;
  });
  if (Mode != Vote::ballot) put_predicate(w, op->d, results);
  return op + 1;
}
const Op* active_mask(Warp& w, const Op* op) {
  put_all(w, op->d, w.mask);
  return op + 1;
}
template <class T, bool All>
const Op* match(Warp& w, const Op* op) {
  T a[32];
  std::memcpy(a, row(w, op->a), sizeof(a));  // the destination may be the source
  u32 results = 0;
  for_each_group(w, op, [&](u32 group) {
    for (u32 rest = group; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      u32 equal = 0;
      for (u32 other = group; other != 0; other &= other - 1)
        equal |= a[__builtin_ctz(other)] == a[lane] ? other & (~other + 1) : 0;
      const bool same = equal == group;
      row_of<u32>(w, op->d)[lane] = All && !same ? 0 : equal;
      results |= same ? 1u << lane : 0;
    }
  });
  if (All && op->d2 != no_row) put_predicate(w, op->d2, results);
  return op + 1;
}
template <class T, class F>
const Op* reduce(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  for_each_group(w, op, [&](u32 group) {
    T value = a[__builtin_ctz(group)];
    for (u32 left = group & (group - 1); left != 0; left &= left - 1)
      value = F::f(value, a[__builtin_ctz(left)]);
    put_group(w, op->d, group, static_cast<u32>(value));
  });
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
const Op* lane_by_lane(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b),
            *c = op->c == no_row ? b : row_of<u32>(w, op->c);
  u32 result[32];
  for (int i = 0; i < 32; ++i) result[i] = F::f(a[i], b[i], c[i]);
  put(w, op->d, result);
  return op + 1;
}
/// Two products of 16 by 8 bits; `High`: with the upper bytes of b.
template <class A, class B, bool High>
struct Dp2a {
  static u32 f(u32 a, u32 b, u32 c) {
    for (int n = 0; n < 2; ++n)
      c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 16 * n)) *
                            static_cast<s32>(static_cast<B>(b >> (8 * n + (High ? 16 : 0)))));
    return c;
  }
};
/// PTX ISA, "prmt", table of modes: byte `from(k, n)` of {b, a} becomes byte k; n is the selector.
template <class From>
struct Permute {
  static u32 f(u32 a, u32 b, u32 c) {
    const u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (u32 k = 0; k < 4; ++k) result |= (static_cast<u32>(bytes >> 8 * From::at(k, c & 3)) & 255) << 8 * k;
    return result;
  }
};
struct Forward {
  static u32 at(u32 k, u32 n) { return n + k; }
};
struct Backward {
  static u32 at(u32 k, u32 n) { return (n - k) & 7; }
};
struct Replicate8 {
  static u32 at(u32, u32 n) { return n; }
};
struct ClampLeft {
  static u32 at(u32 k, u32 n) { return k > n ? k : n; }
};
struct ClampRight {
  static u32 at(u32 k, u32 n) { return k < n ? k : n; }
};
struct Replicate16 {
  static u32 at(u32 k, u32 n) { return (n & 1) * 2 + (k & 1); }
};
/// Differences of four bytes; `Sum`: added up, else side by side (then c is not used).
template <class T, bool Sum>
struct ByteDifferences {
  static u32 f(u32 a, u32 b, u32 c) {
    u32 result = Sum ? c : 0;
    for (int n = 0; n < 4; ++n) {
      const s32 d =
          static_cast<s32>(static_cast<T>(a >> 8 * n)) - static_cast<s32>(static_cast<T>(b >> 8 * n));
      result += static_cast<u32>(d < 0 ? -d : d) << (Sum ? 0 : 8 * n);
    }
    return result;
  }
};
/// `b` bits from bit `a` on.
template <bool Wrap>
struct BitMask {
  static u32 f(u32 a, u32 b, u32) {
    if (Wrap) a &= 31, b &= 31;
    return a > 31 || b == 0 ? 0 : static_cast<u32>((u64{1} << (b > 32 ? 32 : b)) - 1) << a;
  }
};
/// The lowest `b` bits, extended.
template <bool Wrap, bool Signed>
struct Extend {
  static u32 f(u32 a, u32 b, u32) {
    if (Wrap) b &= 31;
    if (b == 0 || b > 31) return b == 0 ? 0 : a;
    return Signed ? static_cast<u32>(static_cast<s32>(a << (32 - b)) >> (32 - b)) : a & ((1u << b) - 1);
  }
};
/// Position of the set bit of `a` that is `c` set bits from bit `b` on, upwards or, when negative, downwards.
struct FindSet {
  static u32 f(u32 a, u32 b, u32 c) {
    const auto offset = static_cast<s32>(c);
    if (b > 31) return ~0u;
    if (offset == 0) return (a >> b & 1) != 0 ? b : ~0u;
    s32 left = offset > 0 ? offset : -offset;
    for (s32 at = static_cast<s32>(b); at >= 0 && at<32; at += offset> 0 ? 1 : -1)
      if ((a >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
    return ~0u;
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
    {"dp2a.lo.u32.u32", lane_by_lane<Dp2a<u16, u8, false>>, "w=www"},
    {"dp2a.lo.u32.s32", lane_by_lane<Dp2a<u16, s8, false>>, "w=www"},
    {"dp2a.lo.s32.u32", lane_by_lane<Dp2a<s16, u8, false>>, "w=www"},
    {"dp2a.lo.s32.s32", lane_by_lane<Dp2a<s16, s8, false>>, "w=www"},
    {"dp2a.hi.u32.u32", lane_by_lane<Dp2a<u16, u8, true>>, "w=www"},
    {"dp2a.hi.u32.s32", lane_by_lane<Dp2a<u16, s8, true>>, "w=www"},
    {"dp2a.hi.s32.u32", lane_by_lane<Dp2a<s16, u8, true>>, "w=www"},
    {"dp2a.hi.s32.s32", lane_by_lane<Dp2a<s16, s8, true>>, "w=www"},
    {"prmt.f4e", lane_by_lane<Permute<Forward>>, "w=www"},
    {"prmt.b4e", lane_by_lane<Permute<Backward>>, "w=www"},
    {"prmt.rc8", lane_by_lane<Permute<Replicate8>>, "w=www"},
    {"prmt.ecl", lane_by_lane<Permute<ClampLeft>>, "w=www"},
    {"prmt.ecr", lane_by_lane<Permute<ClampRight>>, "w=www"},
    {"prmt.rc16", lane_by_lane<Permute<Replicate16>>, "w=www"},
    {"vabsdiff4.u32.u32.u32", lane_by_lane<ByteDifferences<u8, false>>, "w=www"},
    {"vabsdiff4.u32.u32.u32.add", lane_by_lane<ByteDifferences<u8, true>>, "w=www"},
    {"vabsdiff4.u32.s32.s32", lane_by_lane<ByteDifferences<s8, false>>, "w=www"},
    {"vabsdiff4.u32.s32.s32.add", lane_by_lane<ByteDifferences<s8, true>>, "w=www"},
    {"bmsk.clamp.b32", lane_by_lane<BitMask<false>>, "w=ww"},
    {"bmsk.wrap.b32", lane_by_lane<BitMask<true>>, "w=ww"},
    {"szext.clamp.u32", lane_by_lane<Extend<false, false>>, "w=ww"},
    {"szext.clamp.s32", lane_by_lane<Extend<false, true>>, "w=ww"},
    {"szext.wrap.u32", lane_by_lane<Extend<true, false>>, "w=ww"},
    {"szext.wrap.s32", lane_by_lane<Extend<true, true>>, "w=ww"},
    {"fns.b32", lane_by_lane<FindSet>, "w=www"},
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
};

}  // namespace

HandlerTable scalar_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
