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
};

}  // namespace

HandlerTable scalar_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
