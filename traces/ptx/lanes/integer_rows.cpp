// Arithmetic, bits and comparisons of integers, and shuffles. Compiled once per instruction set, in namespace
// STRATA_PTX_ISA.
#include "traces/ptx/lanes/lane_compare.h"
#include "traces/ptx/lanes/lane_integer.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

template <class T>
const Op* select(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  const u32 p = predicate(w, op->c, (op->flags & negate_c) != 0);
  alignas(64) T result[32];
  for_lanes([&](int i) { result[i] = (p & (1u << i)) != 0 ? a[i] : b[i]; });
  put(w, op->d, result);
  return op + 1;
}
template <class T>
const Op* bit_insert(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  const u32 *c = row_of<u32>(w, op->c), *n = row_of<u32>(w, op->d2);
  alignas(64) T result[32];
  constexpr u32 width = sizeof(T) * 8;
  for_lanes([&](int i) {
    const u32 first = c[i] & 255, count = n[i] & 255;
    const T field = count >= width ? ~T(0) : static_cast<T>((T(1) << (count & (width - 1))) - 1);
    const T m = first >= width ? T(0) : static_cast<T>(field << (first & (width - 1)));
    result[i] = (b[i] & ~m) | (first >= width ? T(0) : static_cast<T>(a[i] << (first & (width - 1))) & m);
  });
  put(w, op->d, result);
  return op + 1;
}
/// `op->offset`: the result for each of the 8 combinations of three bits.
const Op* logic3(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b), *c = row_of<u32>(w, op->c);
  const auto t = static_cast<u32>(op->offset);
  alignas(64) u32 result[32] = {};
  for (u32 k = 0; k < 8; ++k) {
    if ((t >> k & 1) == 0) continue;
    const u32 na = (k & 4) != 0 ? 0 : all_lanes, nb = (k & 2) != 0 ? 0 : all_lanes,
              nc = (k & 1) != 0 ? 0 : all_lanes;
    for_lanes([&](int i) { result[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc); });
  }
  put(w, op->d, result);
  return op + 1;
}

/// Functions of two words of a lane.
struct Words {
  static u64 pair(u32 low, u32 high) { return u64{high} << 32 | low; }
  static u32 left_wrap(u32 a, u32 b, u32 c) { return static_cast<u32>(pair(a, b) << (c & 31) >> 32); }
  static u32 left_clamp(u32 a, u32 b, u32 c) { return c >= 32 ? a : static_cast<u32>(pair(a, b) << c >> 32); }
  static u32 right_wrap(u32 a, u32 b, u32 c) { return static_cast<u32>(pair(a, b) >> (c & 31)); }
  static u32 right_clamp(u32 a, u32 b, u32 c) { return static_cast<u32>(pair(a, b) >> (c > 32 ? 32 : c)); }
  static u32 permute(u32 a, u32 b, u32 c) {
    const u64 bytes = pair(a, b);
    u32 result = 0;
    for (int n = 0; n < 4; ++n) {
      const u32 s = c >> (4 * n) & 15;
      u32 v = static_cast<u32>(bytes >> (8 * (s & 7))) & 255;
      if ((s & 8) != 0) v = (v & 128) != 0 ? 255 : 0;
      result |= v << (8 * n);
    }
    return result;
  }
  /// Sum of four products of bytes.
  template <class A, class B>
  static u32 dot4(u32 a, u32 b, u32 c) {
    for (int n = 0; n < 4; ++n)
      c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 8 * n)) *
                            static_cast<s32>(static_cast<B>(b >> 8 * n)));
    return c;
  }
};

/// Operations for which signs do not matter, and those of the signed type `S`.
template <class U, class S = std::make_signed_t<U>>
constexpr HandlerEntry any_sign[] = {
    row<Integer<U>::add>("add.", type_name<U>),
    row<Integer<U>::subtract>("sub.", type_name<U>),
    row<Integer<U>::multiply>("mul.lo.", type_name<U>),
    row<Integer<U>::multiply_add>("mad.lo.", type_name<U>),
    row<Integer<U>::negate>("neg.", type_name<S>),
    row<Integer<S>::absolute>("abs.", type_name<S>),
    row<Integer<U>::same>("mov.b", type_bits<U>),
    row<Integer<U>::bit_and>("and.b", type_bits<U>),
    row<Integer<U>::bit_or>("or.b", type_bits<U>),
    row<Integer<U>::bit_xor>("xor.b", type_bits<U>),
    row<Integer<U>::bit_not>("not.b", type_bits<U>),
    row<Integer<U>::is_zero>("cnot.b", type_bits<U>),
    row<Integer<U>::shift_left>("shl.b", type_bits<U>),
    make_row(select<U>, make_signature<U, U, U, bool>(), "selp.b", type_bits<U>)};
template <class T>
constexpr HandlerEntry any_size[] = {row<Integer<T>::shift_right>("shr.", type_name<T>),
                                     row<Integer<T>::multiply_high>("mul.hi.", type_name<T>),
                                     row<Integer<T>::multiply_high_add>("mad.hi.", type_name<T>),
                                     row<Integer<T>::divide>("div.", type_name<T>),
                                     row<Integer<T>::remainder>("rem.", type_name<T>),
                                     row<Integer<T>::min>("min.", type_name<T>),
                                     row<Integer<T>::max>("max.", type_name<T>),
                                     row<Integer<T>::difference_and>("sad.", type_name<T>)};
template <class T>
constexpr HandlerEntry up_to_32[] = {row<Integer<T>::multiply_wide>("mul.wide.", type_name<T>),
                                     row<Integer<T>::multiply_wide_add>("mad.wide.", type_name<T>)};
template <class T>
constexpr HandlerEntry from_32[] = {row<Integer<T>::extract>("bfe.", type_name<T>),
                                    row<Integer<T>::find_high>("bfind.", type_name<T>),
                                    row<Integer<T>::find_high_shift>("bfind.shiftamt.", type_name<T>)};
template <class U>
constexpr HandlerEntry bits_from_32[] = {
    row<Integer<U>::ones>("popc.b", type_bits<U>), row<Integer<U>::leading_zeros>("clz.b", type_bits<U>),
    row<Integer<U>::reversed>("brev.b", type_bits<U>),
    make_row(bit_insert<U>, make_signature<U, U, U, u32, u32>(), "bfi.b", type_bits<U>)};
template <class T>
constexpr HandlerEntry only_32[] = {row<Integer<T>::multiply24>("mul24.lo.", type_name<T>),
                                    row<Integer<T>::multiply24_add>("mad24.lo.", type_name<T>)};
constexpr HandlerEntry words[] = {row<Integer<s32>::add_clamped>("add.sat.s32"),
                                  row<Integer<s32>::subtract_clamped>("sub.sat.s32"),
                                  row<Words::dot4<u8, u8>>("dp4a.u32.u32"),
                                  row<Words::dot4<u8, s8>>("dp4a.u32.s32"),
                                  row<Words::dot4<s8, u8>>("dp4a.s32.u32"),
                                  row<Words::dot4<s8, s8>>("dp4a.s32.s32"),
                                  row<Words::left_wrap>("shf.l.wrap.b32"),
                                  row<Words::left_clamp>("shf.l.clamp.b32"),
                                  row<Words::right_wrap>("shf.r.wrap.b32"),
                                  row<Words::right_clamp>("shf.r.clamp.b32"),
                                  row<Words::permute>("prmt.b32"),
                                  make_row(logic3, make_signature<u32, u32, u32, u32>(), "lop3.b32")};

template <class T>
void add_type(HandlerTable& table) {
  add(table, any_size<T>);
  add_setp<T>(table, OrderedComparisons());
  if constexpr (sizeof(T) <= 4) add(table, up_to_32<T>);
  if constexpr (sizeof(T) >= 4) {
    add(table, from_32<T>);
    add_set<T>(table, OrderedComparisons());
  }
}
template <class U>
void add_size(HandlerTable& table) {
  add(table, any_sign<U>);
  add_type<U>(table);
  add_type<std::make_signed_t<U>>(table);
  if constexpr (sizeof(U) >= 4) add(table, bits_from_32<U>);
}

enum class Shuffle { up, down, bfly, idx };
/// PTX ISA, "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
template <Shuffle Mode>
const Op* shuffle(Warp& w, const Op* op) {
  const u32 *a = row_of<u32>(w, op->a), *b = row_of<u32>(w, op->b), *c = row_of<u32>(w, op->c);
  alignas(64) s32 source[32], inside[32];
  alignas(64) u32 result[32];
  for_lanes([&](int lane) {
    const int clamp = static_cast<int>(c[lane] & 31), segment = static_cast<int>(c[lane] >> 8 & 31),
              by = static_cast<int>(b[lane] & 31);
    const int most = (lane & segment) | (clamp & ~segment);
    const int from = Mode == Shuffle::up     ? lane - by
                     : Mode == Shuffle::down ? lane + by
                     : Mode == Shuffle::bfly ? lane ^ by
                                             : (lane & segment) | (by & ~segment);
    const bool ok = Mode == Shuffle::up ? from >= most : from <= most;
    source[lane] = ok ? from : lane;
    inside[lane] = ok ? -1 : 0;
  });
  for (int lane = 0; lane < 32; ++lane) result[lane] = a[source[lane]];
  put(w, op->d, result);
  if (op->d2 != no_row) put_predicate(w, op->d2, to_bits(inside));
  return op + 1;
}

constexpr Signature shuffled = make_signature<u32, u32, u32, u32>();
constexpr HandlerEntry shuffles[] = {make_row(shuffle<Shuffle::up>, shuffled, "shfl.sync.up.b32"),
                                     make_row(shuffle<Shuffle::down>, shuffled, "shfl.sync.down.b32"),
                                     make_row(shuffle<Shuffle::bfly>, shuffled, "shfl.sync.bfly.b32"),
                                     make_row(shuffle<Shuffle::idx>, shuffled, "shfl.sync.idx.b32")};

}  // namespace

void add_integer(HandlerTable& table) {
  add_size<u16>(table);
  add_size<u32>(table);
  add_size<u64>(table);
  add(table, only_32<u32>);
  add(table, only_32<s32>);
  add(table, words);
  add(table, shuffles);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
