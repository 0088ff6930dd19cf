// Rare operations: bytes and bits, predicates, moves between rows of different width, shared memory addresses
// in clusters, malloc and free, and the stack.
#include <cstring>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/lane_integer.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

/// Two products of 16 by 8 bits; `High`: with the upper bytes of b.
template <class A, class B, bool High>
u32 dot2(u32 a, u32 b, u32 c) {
  for (int n = 0; n < 2; ++n)
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 16 * n)) *
                          static_cast<s32>(static_cast<B>(b >> (8 * n + (High ? 16 : 0)))));
  return c;
}
/// Byte k of the result; n is the selector (PTX ISA, "prmt", table of modes).
struct Bytes {
  static u32 forward(u32 k, u32 n) { return n + k; }
  static u32 backward(u32 k, u32 n) { return (n - k) & 7; }
  static u32 replicate(u32, u32 n) { return n; }
  static u32 clamp_left(u32 k, u32 n) { return k > n ? k : n; }
  static u32 clamp_right(u32 k, u32 n) { return k < n ? k : n; }
  static u32 replicate_pair(u32 k, u32 n) { return (n & 1) * 2 + (k & 1); }
};
template <u32 (*From)(u32, u32)>
u32 permute(u32 a, u32 b, u32 c) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 k = 0; k < 4; ++k) result |= (static_cast<u32>(bytes >> 8 * From(k, c & 3)) & 255) << 8 * k;
  return result;
}
/// F of two separate values of 16 bits.
template <class T, T (*F)(T, T)>
u32 each_half(u32 a, u32 b) {
  const auto high = static_cast<u16>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return u32{high} << 16 | static_cast<u16>(F(static_cast<T>(a), static_cast<T>(b)));
}
/// `.relu`.
template <class T, T (*F)(T, T)>
T not_below_0(T a, T b) {
  const T r = F(a, b);
  return r < 0 ? T(0) : r;
}
/// Bits 16 to 47 of a product of 24 bits by 24.
template <class T>
T high24(T a, T b) {
  const auto cut = [](T x) { return s64{static_cast<T>(static_cast<u32>(x) << 8) >> 8}; };
  return static_cast<T>(cut(a) * cut(b) >> 16);
}
/// Differences of four bytes or two halves, added up (`Sum`) or packed; packed ones do not use c.
template <class T, bool Sum>
u32 part_differences(u32 a, u32 b, u32 c) {
  u32 result = Sum ? c : 0;
  for (unsigned n = 0; n < 32; n += 8 * sizeof(T)) {
    const s32 d = static_cast<s32>(static_cast<T>(a >> n)) - static_cast<s32>(static_cast<T>(b >> n));
    result += static_cast<u32>(d < 0 ? -d : d) << (Sum ? 0 : n);
  }
  return result;
}
/// `b` bits from bit `a` on.
template <bool Wrap>
u32 bit_mask(u32 a, u32 b) {
  if (Wrap) a &= 31, b &= 31;
  return a > 31 || b == 0 ? 0 : static_cast<u32>((u64{1} << (b > 32 ? 32 : b)) - 1) << a;
}
/// The lowest `b` bits, extended.
template <bool Wrap, bool Signed>
u32 extend(u32 a, u32 b) {
  if (Wrap) b &= 31;
  if (b == 0 || b > 31) return b == 0 ? 0 : a;
  return Signed ? static_cast<u32>(static_cast<s32>(a << (32 - b)) >> (32 - b)) : a & ((1u << b) - 1);
}
/// Position of the `c`-th set bit of `a` from bit `b` on, upwards or, if negative, downwards.
u32 find_set(u32 a, u32 b, u32 c) {
  const auto offset = static_cast<s32>(c);
  if (b > 31) return ~0u;
  if (offset == 0) return (a >> b & 1) != 0 ? b : ~0u;
  s32 left = offset > 0 ? offset : -offset;
  for (s32 at = static_cast<s32>(b); at >= 0 && at < 32; at += (offset > 0 ? 1 : -1))
    if ((a >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
  return ~0u;
}

template <u32 (*F)(u32, u32)>
const Op* combine_predicates(Warp& w, const Op* op) {
  put_predicate(
      w, op->d,
      F(predicate(w, op->a, (op->flags & negate_a) != 0), predicate(w, op->b, (op->flags & negate_b) != 0)));
  return op + 1;
}
template <bool Invert>
const Op* move_predicate(Warp& w, const Op* op) {
  put_predicate(w, op->d, predicate(w, op->a, ((op->flags & negate_a) != 0) != Invert));
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
  std::memcpy(whole, row(w, op->a), sizeof(whole));  // a destination may also be a source
  for (u32 n = 0; n < op->count; ++n) {
    Part part[32];
    for (int i = 0; i < 32; ++i) part[i] = static_cast<Part>(whole[i] >> (n * sizeof(Part) * 8));
    put(w, op->rows[n], part);
  }
  return op + 1;
}
template <class T>
const Op* clock(Warp& w, const Op* op) {
  const auto now = static_cast<T>(w.recorded + op->seq + w.executed + w.passed);
  write(w, row_of<T>(w, op->d), [now](int) { return now; });
  return op + 1;
}
enum class Is { finite, infinite, number, not_a_number, normal, subnormal };
/// testp, from exponent and fraction.
template <class T, Is What>
bool is(T a) {
  constexpr int fraction_bits = sizeof(T) == 4 ? 23 : 52;
  constexpr T top = sizeof(T) == 4 ? 255 : 2047;
  const T exponent = a >> fraction_bits & top, fraction = a & ((T(1) << fraction_bits) - 1);
  switch (What) {
    case Is::finite:
      return exponent != top;
    case Is::infinite:
      return exponent == top && fraction == 0;
    case Is::number:
      return exponent != top || fraction == 0;
    case Is::not_a_number:
      return exponent == top && fraction != 0;
    case Is::normal:
      return exponent != top && exponent != 0;
    default:
      return exponent == 0 && fraction != 0;
  }
}
template <class T, Is What>
const Op* test(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) yes |= static_cast<u32>(is<T, What>(a[i])) << i;
  put_predicate(w, op->d, yes);
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

constexpr HandlerEntry words[] = {row<dot2<u16, u8, false>>("dp2a.lo.u32.u32"),
                                  row<dot2<u16, s8, false>>("dp2a.lo.u32.s32"),
                                  row<dot2<s16, u8, false>>("dp2a.lo.s32.u32"),
                                  row<dot2<s16, s8, false>>("dp2a.lo.s32.s32"),
                                  row<dot2<u16, u8, true>>("dp2a.hi.u32.u32"),
                                  row<dot2<u16, s8, true>>("dp2a.hi.u32.s32"),
                                  row<dot2<s16, u8, true>>("dp2a.hi.s32.u32"),
                                  row<dot2<s16, s8, true>>("dp2a.hi.s32.s32"),
                                  row<permute<Bytes::forward>>("prmt.f4e"),
                                  row<permute<Bytes::backward>>("prmt.b4e"),
                                  row<permute<Bytes::replicate>>("prmt.rc8"),
                                  row<permute<Bytes::clamp_left>>("prmt.ecl"),
                                  row<permute<Bytes::clamp_right>>("prmt.ecr"),
                                  row<permute<Bytes::replicate_pair>>("prmt.rc16"),
                                  row<part_differences<u16, false>>("vabsdiff2.u32.u32.u32"),
                                  row<part_differences<u16, true>>("vabsdiff2.u32.u32.u32.add"),
                                  row<part_differences<s16, false>>("vabsdiff2.u32.s32.s32"),
                                  row<part_differences<s16, true>>("vabsdiff2.u32.s32.s32.add"),
                                  row<part_differences<u8, false>>("vabsdiff4.u32.u32.u32"),
                                  row<part_differences<u8, true>>("vabsdiff4.u32.u32.u32.add"),
                                  row<part_differences<s8, false>>("vabsdiff4.u32.s32.s32"),
                                  row<part_differences<s8, true>>("vabsdiff4.u32.s32.s32.add"),
                                  row<bit_mask<false>>("bmsk.clamp.b32"),
                                  row<bit_mask<true>>("bmsk.wrap.b32"),
                                  row<extend<false, false>>("szext.clamp.u32"),
                                  row<extend<false, true>>("szext.clamp.s32"),
                                  row<extend<true, false>>("szext.wrap.u32"),
                                  row<extend<true, true>>("szext.wrap.s32"),
                                  row<find_set>("fns.b32"),
                                  row<each_half<u16, Integer<u16>::add>>("add.u16x2"),
                                  row<each_half<u16, Integer<u16>::add>>("add.s16x2"),
                                  row<each_half<u16, Integer<u16>::min>>("min.u16x2"),
                                  row<each_half<s16, Integer<s16>::min>>("min.s16x2"),
                                  row<each_half<u16, Integer<u16>::max>>("max.u16x2"),
                                  row<each_half<s16, Integer<s16>::max>>("max.s16x2"),
                                  row<each_half<s16, not_below_0<s16, Integer<s16>::min>>>("min.relu.s16x2"),
                                  row<each_half<s16, not_below_0<s16, Integer<s16>::max>>>("max.relu.s16x2"),
                                  row<not_below_0<s32, Integer<s32>::min>>("min.relu.s32"),
                                  row<not_below_0<s32, Integer<s32>::max>>("max.relu.s32"),
                                  row<high24<u32>>("mul24.hi.u32"),
                                  row<high24<s32>>("mul24.hi.s32")};
constexpr Signature one_predicate = make_signature<bool, bool>(),
                    two_predicates = make_signature<bool, bool, bool>(),
                    of_address = make_signature<bool, u64>();
constexpr HandlerEntry others[] = {
    make_row(combine_predicates<Integer<u32>::bit_and>, two_predicates, "and.pred"),
    make_row(combine_predicates<Integer<u32>::bit_or>, two_predicates, "or.pred"),
    make_row(combine_predicates<Integer<u32>::bit_xor>, two_predicates, "xor.pred"),
    make_row(move_predicate<true>, one_predicate, "not.pred"),
    make_row(move_predicate<false>, one_predicate, "mov.pred"),
    make_row(clock<u32>, make_signature<u32>(), "clock.w"),
    make_row(clock<u64>, make_signature<u64>(), "clock.l"),
    make_row(is_space<0>, of_address, "isspacep.global"),
    make_row(is_space<shared_window>, of_address, "isspacep.shared"),
    make_row(is_space<local_window>, of_address, "isspacep.local"),
    make_row(is_space<param_window>, of_address, "isspacep.param")};
template <class T>
constexpr HandlerEntry tests[] = {
    make_row(test<T, Is::finite>, make_signature<bool, T>(), "testp.finite.f", type_bits<T>),
    make_row(test<T, Is::infinite>, make_signature<bool, T>(), "testp.infinite.f", type_bits<T>),
    make_row(test<T, Is::number>, make_signature<bool, T>(), "testp.number.f", type_bits<T>),
    make_row(test<T, Is::not_a_number>, make_signature<bool, T>(), "testp.notanumber.f", type_bits<T>),
    make_row(test<T, Is::normal>, make_signature<bool, T>(), "testp.normal.f", type_bits<T>),
    make_row(test<T, Is::subnormal>, make_signature<bool, T>(), "testp.subnormal.f", type_bits<T>)};
template <class Whole, class Part>
constexpr HandlerEntry packing[] = {
    make_row(pack<Whole, Part>, {}, "pack.", row_letter<Whole>, row_letter<Part>),
    make_row(unpack<Whole, Part>, {}, "unpack.", row_letter<Whole>, row_letter<Part>)};

constexpr u64 offset_mask = (u64{1} << cluster_shift) - 1;

/// mapa: address in the thread block of rank b of the bytes at an address of this block's shared memory.
template <class T>
const Op* map_address(Warp& w, const Op* op) {
  T result[32] = {};
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const T at = row_of<T>(w, op->a)[i];
    const u32 rank = row_of<u32>(w, op->b)[i];
    const u64 window = op->space == Space::generic ? shared_window : 0;
    if (op->space == Space::generic && static_cast<u64>(at) - shared_window >= window_bytes)
      fault(w, op, i, "expected an address of shared memory, found", at, true);
    if (rank >= w.cta->peers.size())
      fault(w, op, i, "no thread block of the cluster has the rank", rank, true);
    result[i] = static_cast<T>(window + ((static_cast<u64>(at) - window) & offset_mask) +
                               (static_cast<u64>(rank + 1) << cluster_shift));
  }
  put(w, op->d, result);
  return op + 1;
}
/// getctarank: rank of the thread block that holds an address.
template <class T>
const Op* rank_of_address(Warp& w, const Op* op) {
  u32 result[32] = {};
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const u64 at = row_of<T>(w, op->a)[i] - (op->space == Space::generic ? shared_window : 0);
    const u64 code = at >> cluster_shift;
    result[i] = code == 0 ? w.cta->rank : static_cast<u32>(code - 1);
  }
  put(w, op->d, result);
  return op + 1;
}
/// isspacep.shared::cta: generic addresses in this thread block's shared memory.
const Op* is_own(Warp& w, const Op* op) {
  const u64* a = row_of<u64>(w, op->a);
  u32 yes = 0;
  for (int i = 0; i < 32; ++i) {
    const u64 at = a[i] - shared_window, code = at >> cluster_shift;
    yes |= static_cast<u32>(at < window_bytes && (code == 0 || code == w.cta->rank + 1)) << i;
  }
  put_predicate(w, op->d, yes);
  return op + 1;
}

constexpr HandlerEntry cluster_addresses[] = {
    make_row(map_address<u32>, make_signature<u32, u32, u32>(), "mapa.u32"),
    make_row(map_address<u64>, make_signature<u64, u64, u32>(), "mapa.u64"),
    make_row(rank_of_address<u32>, make_signature<u32, u32>(), "getctarank.u32"),
    make_row(rank_of_address<u64>, make_signature<u32, u64>(), "getctarank.u64"),
    make_row(is_own, make_signature<bool, u64>(), "isspacep.shared::cta")};

const Op* allocate(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    row_of<u64>(w, op->d)[i] = w.cta->memory->heap_allocate(row_of<u64>(w, op->a)[i]);
  }
  return op + 1;
}
const Op* release(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const u64 address = row_of<u64>(w, op->a)[i];
    if (address != 0 && !w.cta->memory->heap_free(address))
      fault(w, op, i, "free of an address that malloc did not return:", address, true);
  }
  return op + 1;
}

constexpr HandlerEntry heap_and_stack[] = {
    make_row(allocate, {}, "heap.malloc"), make_row(release, {}, "heap.free"),
    make_row(do_alloca, {}, "alloca"), make_row(do_stack_save, {}, "stacksave"),
    make_row(do_stack_restore, {}, "stackrestore")};

}  // namespace

void add_rare(HandlerTable& table) {
  add(table, words);
  add(table, others);
  add(table, tests<u32>);
  add(table, tests<u64>);
  add(table, packing<u32, u16>);
  add(table, packing<u64, u16>);
  add(table, packing<u64, u32>);
  add(table, packing<u32, u32>);
  add(table, packing<u16, u16>);
  add(table, cluster_addresses);
  add(table, heap_and_stack);
}

}  // namespace strata::traces::ptx
