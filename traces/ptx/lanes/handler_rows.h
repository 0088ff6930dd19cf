#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/ptx/decode/op.h"

/// Basis of the handler tables. Files that are compiled once per instruction set include it.
namespace strata::traces::ptx {

/// Text built at compile time; text that is too long does not compile.
template <std::size_t Size>
struct ShortText {
  char text[Size] = {};
  constexpr ShortText& operator+=(char more) {
    std::size_t at = 0;
    while (text[at] != 0) ++at;
    text[at] = more;
    text[at + 1] = 0;
    return *this;
  }
  constexpr ShortText& operator+=(const char* more) {
    for (; *more != 0; ++more) *this += *more;
    return *this;
  }
};
/// "w=ww": destination and sources; p predicate, h 16, w 32, l 64 bits. Empty: the decoder knows.
using Signature = ShortText<8>;

struct HandlerEntry {
  ShortText<32> key;  ///< "add.u32"
  Handler handler = nullptr;
  Signature signature;
};

class HandlerTable;
void add_rows(HandlerTable& table, const HandlerEntry* rows, std::size_t count);

namespace baseline {
void add_integer(HandlerTable& table);
void add_real(HandlerTable& table);
void add_memory(HandlerTable& table);
void add_tensor(HandlerTable& table);
void add_group_tensor(HandlerTable& table);
}  // namespace baseline
namespace avx2 {
void add_integer(HandlerTable& table);
void add_real(HandlerTable& table);
void add_memory(HandlerTable& table);
void add_tensor(HandlerTable& table);
void add_group_tensor(HandlerTable& table);
}  // namespace avx2
void add_warp_wide(HandlerTable& table);
void add_rare(HandlerTable& table);
void add_rounded(HandlerTable& table);
void add_half(HandlerTable& table);
void add_atomic(HandlerTable& table);
void add_async(HandlerTable& table);
void add_textures(HandlerTable& table);
void add_matrices(HandlerTable& table);

// Rows of the handler tables, built at compile time. Parameters and result of a function of one lane give
// the rows that its handler reads and writes.

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// `h`, `w`, `l`: a row whose lanes have 16, 32, 64 bits; `p`: predicates.
template <class T>
constexpr char row_letter = sizeof(T) == 2   ? 'h'
                            : sizeof(T) == 4 ? 'w'
                                             : 'l';
template <>
inline constexpr char row_letter<bool> = 'p';

/// `u32`, `f64`...
template <class T>
constexpr ShortText<4> make_type_name() {
  ShortText<4> name;
  name += T(1) / T(2) != T(0) ? 'f' : T(-1) < T(0) ? 's' : 'u';
  return name += sizeof(T) == 1 ? "8" : sizeof(T) == 2 ? "16" : sizeof(T) == 4 ? "32" : "64";
}
template <class T>
constexpr ShortText<4> type_text = make_type_name<T>();
template <class T>
constexpr const char* type_name = type_text<T>.text;
template <class T>
constexpr const char* type_bits = type_name<T> + 1;

template <class D, class... A>
constexpr Signature make_signature() {
  Signature made;
  made += row_letter<D>;
  made += '=';
  ((made += row_letter<A>), ...);
  return made;
}
/// A row whose key is the concatenation of `parts`.
template <class... Parts>
constexpr HandlerEntry make_row(Handler handler, Signature signature, Parts... parts) {
  HandlerEntry made{{}, handler, signature};
  ((made.key += parts), ...);
  return made;
}

namespace {  // one copy per instruction set, as for all functions that are not constexpr

template <std::size_t Count>
void add(HandlerTable& table, const HandlerEntry (&rows)[Count]) {
  add_rows(table, rows, Count);
}

}  // namespace

}  // namespace strata::traces::ptx
