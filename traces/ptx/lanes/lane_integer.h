#pragma once

#include <limits>
#include <type_traits>

#include "traces/ptx/lanes/handler_rows.h"

namespace strata::traces::ptx {
namespace {  // as in lane_rows.h

template <class T, class Signed, class Unsigned>
using WithSign = std::conditional_t<std::is_signed<T>::value, Signed, Unsigned>;
template <class T>
using TwiceAsWide = std::conditional_t<
    sizeof(T) == 2, WithSign<T, s32, u32>,
    std::conditional_t<sizeof(T) == 4, WithSign<T, s64, u64>, WithSign<T, __int128, unsigned __int128>>>;

/// Integer functions of one lane.
template <class T>
struct Integer {
  using U = std::make_unsigned_t<T>;
  using W = TwiceAsWide<T>;
  static constexpr u32 bits = sizeof(T) * 8;

  static T same(T a) { return a; }
  static T add(T a, T b) { return static_cast<T>(a + b); }
  static T subtract(T a, T b) { return static_cast<T>(a - b); }
  static T negate(T a) { return static_cast<T>(-a); }
  static T absolute(T a) { return static_cast<T>(a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a)); }
  static T min(T a, T b) { return a < b ? a : b; }
  static T max(T a, T b) { return a > b ? a : b; }
  static T difference_and(T a, T b, T c) {
    const U difference =
        static_cast<U>(a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b));
    return static_cast<T>(static_cast<U>(c) + difference);
  }
  static T add_clamped(T a, T b) { return clamped(W{a} + b); }
  static T subtract_clamped(T a, T b) { return clamped(W{a} - b); }

  static T multiply(T a, T b) { return static_cast<T>(1u * a * b); }
  static T multiply_add(T a, T b, T c) { return static_cast<T>(1u * a * b + c); }
  static W multiply_wide(T a, T b) { return static_cast<W>(a) * static_cast<W>(b); }
  static W multiply_wide_add(T a, T b, W c) {
    return static_cast<W>(static_cast<std::make_unsigned_t<W>>(multiply_wide(a, b)) +
                          static_cast<std::make_unsigned_t<W>>(c));
  }
  static T multiply_high(T a, T b) { return static_cast<T>(multiply_wide(a, b) >> bits); }
  static T multiply_high_add(T a, T b, T c) {
    return static_cast<T>(static_cast<U>(multiply_high(a, b)) + static_cast<U>(c));
  }
  static T multiply24(T a, T b) {
    return static_cast<T>(static_cast<u32>(low24(a)) * static_cast<u32>(low24(b)));
  }
  static T multiply24_add(T a, T b, T c) {
    return static_cast<T>(static_cast<u32>(multiply24(a, b)) + static_cast<u32>(c));
  }
  // Division by 0 gives all ones, and so does the remainder: PTX leaves it open, an H100 does so.
  static T divide(T a, T b) {
    if (b == 0) return static_cast<T>(~T(0));
    if (std::is_signed<T>::value && b == static_cast<T>(-1)) return static_cast<T>(U(0) - static_cast<U>(a));
    return static_cast<T>(a / b);
  }
  static T remainder(T a, T b) {
    if (b == 0) return static_cast<T>(~T(0));
    if (std::is_signed<T>::value && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }

  static T bit_and(T a, T b) { return static_cast<T>(a & b); }
  static T bit_or(T a, T b) { return static_cast<T>(a | b); }
  static T bit_xor(T a, T b) { return static_cast<T>(a ^ b); }
  static T bit_not(T a) { return static_cast<T>(~a); }
  static T is_zero(T a) { return static_cast<T>(a == 0 ? 1 : 0); }
  static T shift_left(T a, u32 b) { return b >= bits ? T(0) : static_cast<T>(a << (b & (bits - 1))); }
  static T shift_right(T a, u32 b) {
    if (std::is_signed<T>::value) return static_cast<T>(a >> (b >= bits ? bits - 1 : b));
    return b >= bits ? T(0) : static_cast<T>(a >> (b & (bits - 1)));
  }
  static u32 leading_zeros(T a) {
    if (a == 0) return bits;
    return static_cast<u32>(bits == 64 ? __builtin_clzll(static_cast<u64>(a))
                                       : __builtin_clz(static_cast<u32>(a)));
  }
  static u32 ones(T a) {
    if (bits == 64) return ones32(static_cast<u32>(a)) + ones32(static_cast<u32>(static_cast<u64>(a) >> 32));
    return ones32(static_cast<u32>(a));
  }
  static T reversed(T a) {
    if (bits != 64) return static_cast<T>(reversed32(static_cast<u32>(a)));
    return static_cast<T>(u64{reversed32(static_cast<u32>(a))} << 32 |
                          reversed32(static_cast<u32>(static_cast<u64>(a) >> 32)));
  }
  /// Position of the highest bit that differs from the sign; all ones if there is none.
  static u32 find_high(T a) {
    const U set = static_cast<U>(std::is_signed<T>::value && a < 0 ? ~a : a);
    return set == 0 ? all_lanes : bits - 1 - Integer<U>::leading_zeros(set);
  }
  static u32 find_high_shift(T a) {
    const u32 at = find_high(a);
    return at == all_lanes ? at : bits - 1 - at;
  }
  /// `c` bits from bit `b` on, extended.
  static T extract(T a, u32 b, u32 c) {
    const u32 first = b & 255, count = c & 255;
    if (count == 0) return 0;
    const u32 top = first + count - 1 < bits - 1 ? first + count - 1 : bits - 1;
    const U fill = std::is_signed<T>::value && (static_cast<U>(a) >> top & 1) != 0 ? ~U(0) : U(0);
    if (first >= bits) return static_cast<T>(fill);
    const U field = static_cast<U>(a) >> first;
    if (count >= bits) return static_cast<T>(first == 0 ? field : field | (fill << (bits - first)));
    return static_cast<T>((field & ((U(1) << count) - 1)) |
                          (first + count > bits ? fill << (bits - first) : fill << count));
  }

 private:
  static T clamped(W x) {
    constexpr W low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return static_cast<T>(x < low ? low : x > high ? high : x);
  }
  static T low24(T a) { return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8); }
  static u32 ones32(u32 a) {
    a = a - (a >> 1 & 0x55555555u);
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
  }
  static u32 reversed32(u32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
  }
};

}  // namespace
}  // namespace strata::traces::ptx
