// Read-modify-write of memory: lane after lane, ascending.
#include <cstring>

#include "traces/ptx/half_format.h"

namespace strata::traces::ptx {
namespace {

struct Add {
  template <class T>
  static T f(T old, T b, T) {
    return old + b;
  }
};
/// One value of 16 bits, or two in 32.
template <class H>
struct AddHalf {
  static u16 f(u16 old, u16 b, u16) { return H::narrow(H::widen(old) + H::widen(b)); }
  static u32 f(u32 old, u32 b, u32) {
    const u32 high = f(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16), u16{0});
    return high << 16 | f(static_cast<u16>(old), static_cast<u16>(b), u16{0});
  }
};
struct Min {
  template <class T>
  static T f(T old, T b, T) {
    return b < old ? b : old;
  }
};
struct Max {
  template <class T>
  static T f(T old, T b, T) {
    return b > old ? b : old;
  }
};
struct And {
  template <class T>
  static T f(T old, T b, T) {
    return old & b;
  }
};
struct Or {
  template <class T>
  static T f(T old, T b, T) {
    return old | b;
  }
};
struct Xor {
  template <class T>
  static T f(T old, T b, T) {
    return old ^ b;
  }
};
struct Exch {
  template <class T>
  static T f(T, T b, T) {
    return b;
  }
};
struct Cas {
  template <class T>
  static T f(T old, T b, T c) {
    return old == b ? c : old;
  }
};
struct Inc {
  template <class T>
  static T f(T old, T b, T) {
    return old >= b ? 0 : old + 1;
  }
};
struct Dec {
  template <class T>
  static T f(T old, T b, T) {
    return old == 0 || old > b ? b : old - 1;
  }
};

template <class T, class F>
const Op* atomic(Warp& w, const Op* op) {
  u64 address[32];
  for (int i = 0; i < 32; ++i)
    address[i] = op->address_bytes == 8
                     ? row_of<u64>(w, op->a)[i] + static_cast<u64>(op->offset)
                     : static_cast<u32>(row_of<u32>(w, op->a)[i] + static_cast<u32>(op->offset));
  const bool mixed = op->space == Space::generic;
  if (!mixed) record_access(w, op, address, w.mask, op->space, sizeof(T));
  T old[32];
  const T *b = row_of<T>(w, op->b), *c = op->c == no_row ? b : row_of<T>(w, op->c);
  u32 left = w.mask;
  while (left != 0) {
    u64 relative[32];
    std::memcpy(relative, address, sizeof(relative));
    Target target = resolve(w, op, relative, left, sizeof(T), false);
    if (mixed) record_access(w, op, address, target.lanes, target.space, sizeof(T));
    for (u32 lanes = target.lanes; lanes != 0; lanes &= lanes - 1) {
      const int i = __builtin_ctz(lanes);
      std::memcpy(&old[i], target.data + relative[i], sizeof(T));
      const T next = F::f(old[i], b[i], c[i]);
      std::memcpy(target.data + relative[i], &next, sizeof(T));
    }
    left &= ~target.lanes;
  }
  if (op->d != no_row) {
    T* d = row_of<T>(w, op->d);
    for (u32 lanes = w.mask; lanes != 0; lanes &= lanes - 1)
      d[__builtin_ctz(lanes)] = old[__builtin_ctz(lanes)];
  }
  return op + 1;
}

#define INTEGER(N, T, S)                                                            \
  {"atom.add.u" N, atomic<T, Add>, ""}, {"atom.and.u" N, atomic<T, And>, ""},       \
      {"atom.or.u" N, atomic<T, Or>, ""}, {"atom.xor.u" N, atomic<T, Xor>, ""},     \
      {"atom.exch.u" N, atomic<T, Exch>, ""}, {"atom.cas.u" N, atomic<T, Cas>, ""}, \
      {"atom.min.u" N, atomic<T, Min>, ""}, {"atom.max.u" N, atomic<T, Max>, ""},   \
      {"atom.min.s" N, atomic<S, Min>, ""}, {                                       \
    "atom.max.s" N, atomic<S, Max>, ""                                              \
  }

const HandlerEntry entries[] = {
    INTEGER("32", u32, std::int32_t),
    INTEGER("64", u64, std::int64_t),
    {"atom.cas.u16", atomic<std::uint16_t, Cas>, ""},
    {"atom.exch.u16", atomic<std::uint16_t, Exch>, ""},
    {"atom.inc.u32", atomic<u32, Inc>, ""},
    {"atom.dec.u32", atomic<u32, Dec>, ""},
    {"atom.add.f32", atomic<float, Add>, ""},
    {"atom.add.f64", atomic<double, Add>, ""},
    {"atom.add.f16", atomic<u16, AddHalf<Half>>, ""},
    {"atom.add.f16x2", atomic<u32, AddHalf<Half>>, ""},
    {"atom.add.bf16", atomic<u16, AddHalf<Brain>>, ""},
    {"atom.add.bf16x2", atomic<u32, AddHalf<Brain>>, ""},
};

}  // namespace

HandlerTable atomic_handlers() {
  return {entries, sizeof(entries) / sizeof(entries[0])};
}

}  // namespace strata::traces::ptx
