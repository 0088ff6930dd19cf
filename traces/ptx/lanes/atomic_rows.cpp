// Atomic read-modify-write operations, lane after lane in ascending order.
#include <array>
#include <cstring>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_integer.h"
#include "traces/ptx/lanes/lane_real.h"

namespace strata::traces::ptx {
namespace {

/// The new value in memory, for operations beyond arithmetic.
template <class T>
struct Exchange {
  static T always(T, T b) { return b; }
  static T when_equal(T old, T b, T c) { return old == b ? c : old; }
  static T up_to(T old, T b) { return old >= b ? 0 : old + 1; }
  static T down_from(T old, T b) { return old == 0 || old > b ? b : old - 1; }
};
/// One value of 16 bits, or two in 32.
template <class H>
struct Halves {
  static u16 add(u16 old, u16 b) { return H::narrow(H::widen(old) + H::widen(b)); }
  static u32 add_pair(u32 old, u32 b) {
    const u32 high = add(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16));
    return high << 16 | add(static_cast<u16>(old), static_cast<u16>(b));
  }
  static u16 min(u16 old, u16 b) { return chosen(old, b, false); }
  static u16 max(u16 old, u16 b) { return chosen(old, b, true); }
  template <u16 (*Each)(u16, u16)>
  static u32 pair(u32 old, u32 b) {
    const u32 high = Each(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16));
    return high << 16 | Each(static_cast<u16>(old), static_cast<u16>(b));
  }

 private:
  /// Minimum or maximum. A number wins over a NaN, and -0 is below +0 (PTX ISA, "min").
  static u16 chosen(u16 old, u16 b, bool larger) {
    const auto x = H::widen(old), y = H::widen(b);
    if (x != x) return y != y ? H::narrow(x) : b;
    if (y != y) return old;
    const bool below = x < y || (x == y && (old & 0x8000) != 0);
    return below == larger ? b : old;
  }
};

/// atom.add.f32 flushes subnormal numbers in global memory, not in shared memory (PTX ISA, "atom").
template <class T, bool Flushes>
T settled(T value, Space space) {
  if constexpr (Flushes) {
    if (space != Space::shared) return flushed(value);
  }
  (void)space;
  return value;
}

template <auto F, class T, bool Flushes = false>
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
      const auto settle = [&](T value) { return settled<T, Flushes>(value, target.space); };
      const T next = settle(call<F>(settle(old[i]), settle(b[i]), c[i]));
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

/// Atomic operation on each element of a vector.
template <auto F, class T, bool Flushes = false>
const Op* vector_atomic(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  access_lanes(w, op, address, w.mask, static_cast<u32>(sizeof(T)) * op->count, false,
               [&](u32 lane, u8* memory) {
                 for (u32 n = 0; n < op->count; ++n) {
                   T old;
                   std::memcpy(&old, memory + n * sizeof(T), sizeof(T));
                   const auto settle = [&](T value) { return settled<T, Flushes>(value, Space::global); };
                   const T b = row_of<T>(w, op->rows[n])[lane];
                   const T next = settle(F(settle(old), settle(b)));
                   std::memcpy(memory + n * sizeof(T), &next, sizeof(T));
                   const Row to = op->rows[op->count + n];
                   if (to != no_row) row_of<T>(w, to)[lane] = old;
                 }
               });
  return op + 1;
}

/// atom.exch.b128, atom.cas.b128.
template <bool Swaps>
const Op* wide_atomic(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  access_lanes(w, op, address, w.mask, 16, false, [&](u32 lane, u8* memory) {
    const auto value = [&](u32 first) {
      return std::array<u64, 2>{row_of<u64>(w, op->rows[first])[lane],
                                row_of<u64>(w, op->rows[first + 1])[lane]};
    };
    std::array<u64, 2> old;
    std::memcpy(old.data(), memory, 16);
    if (!Swaps || old == value(0)) {
      const std::array<u64, 2> next = value(Swaps ? 2 : 0);
      std::memcpy(memory, next.data(), 16);
    }
    for (u32 half = 0; half < 2; ++half)
      if (op->rows[4 + half] != no_row) row_of<u64>(w, op->rows[4 + half])[lane] = old[half];
  });
  return op + 1;
}

template <auto F>
struct Memory;
template <class T, class... A, T (*F)(T, A...)>
struct Memory<F> {
  static constexpr Handler update = atomic<F, T>;
};
/// A row whose operands the decoder sets.
template <auto F, class... Parts>
constexpr HandlerEntry atomic_row(Parts... parts) {
  return make_row(Memory<F>::update, {}, "atom.", parts...);
}
template <class U, class S = std::make_signed_t<U>>
constexpr HandlerEntry integer[] = {atomic_row<Integer<U>::add>("add.", type_name<U>),
                                    atomic_row<Integer<U>::bit_and>("and.", type_name<U>),
                                    atomic_row<Integer<U>::bit_or>("or.", type_name<U>),
                                    atomic_row<Integer<U>::bit_xor>("xor.", type_name<U>),
                                    atomic_row<Integer<U>::min>("min.", type_name<U>),
                                    atomic_row<Integer<U>::max>("max.", type_name<U>),
                                    atomic_row<Integer<S>::min>("min.", type_name<S>),
                                    atomic_row<Integer<S>::max>("max.", type_name<S>)};
template <class T>
constexpr HandlerEntry exchanges[] = {atomic_row<Exchange<T>::always>("exch.", type_name<T>),
                                      atomic_row<Exchange<T>::when_equal>("cas.", type_name<T>)};
constexpr HandlerEntry others[] = {atomic_row<Exchange<u32>::up_to>("inc.u32"),
                                   atomic_row<Exchange<u32>::down_from>("dec.u32"),
                                   make_row(atomic<Real<float>::add, float, true>, {}, "atom.add.f32"),
                                   atomic_row<Real<double>::add>("add.f64"),
                                   atomic_row<Halves<Half>::add>("add.f16"),
                                   atomic_row<Halves<Half>::add_pair>("add.f16x2"),
                                   atomic_row<Halves<Brain>::add>("add.bf16"),
                                   atomic_row<Halves<Brain>::add_pair>("add.bf16x2")};

template <class H>
constexpr HandlerEntry half_vectors[] = {
    make_row(vector_atomic<Halves<H>::add, u16>, {}, "atom.v.add.", H::name),
    make_row(vector_atomic<Halves<H>::min, u16>, {}, "atom.v.min.", H::name),
    make_row(vector_atomic<Halves<H>::max, u16>, {}, "atom.v.max.", H::name),
    make_row(vector_atomic<Halves<H>::add_pair, u32>, {}, "atom.v.add.", H::name, "x2"),
    make_row(vector_atomic<Halves<H>::template pair<Halves<H>::min>, u32>, {}, "atom.v.min.", H::name, "x2"),
    make_row(vector_atomic<Halves<H>::template pair<Halves<H>::max>, u32>, {}, "atom.v.max.", H::name, "x2")};
constexpr HandlerEntry wide_exchanges[] = {make_row(wide_atomic<false>, {}, "atom.exch.u128"),
                                           make_row(wide_atomic<true>, {}, "atom.cas.u128")};
constexpr HandlerEntry float_vectors[] = {
    make_row(vector_atomic<Real<float>::add, float, true>, {}, "atom.v.add.f32")};

}  // namespace

void add_atomic(HandlerTable& table) {
  add(table, integer<u32>);
  add(table, integer<u64>);
  add(table, exchanges<u16>);
  add(table, exchanges<u32>);
  add(table, exchanges<u64>);
  add(table, others);
  add(table, half_vectors<Half>);
  add(table, half_vectors<Brain>);
  add(table, float_vectors);
  add(table, wide_exchanges);
}

}  // namespace strata::traces::ptx
