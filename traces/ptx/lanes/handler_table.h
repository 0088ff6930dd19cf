#pragma once

#include <cstddef>

#include "traces/ptx/decode/op.h"

/// What the tables of handlers are made of. Files that are compiled once for each set of instructions include
/// it.
namespace strata::traces::ptx {

/// Short text that is put together at compile time; one that is too long is no constant.
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
void add_conversions(HandlerTable& table);
void add_memory(HandlerTable& table);
void add_shuffles(HandlerTable& table);
void add_tensor(HandlerTable& table);
void add_sparse_tensor(HandlerTable& table);
void add_group_tensor(HandlerTable& table);
}  // namespace baseline
namespace avx2 {
void add_integer(HandlerTable& table);
void add_real(HandlerTable& table);
void add_conversions(HandlerTable& table);
void add_memory(HandlerTable& table);
void add_shuffles(HandlerTable& table);
void add_tensor(HandlerTable& table);
void add_sparse_tensor(HandlerTable& table);
void add_group_tensor(HandlerTable& table);
}  // namespace avx2
void add_warp_wide(HandlerTable& table);
void add_bulk(HandlerTable& table);
void add_clusters(HandlerTable& table);
void add_rare(HandlerTable& table);
void add_rounded(HandlerTable& table);
void add_half(HandlerTable& table);
void add_atomic(HandlerTable& table);
void add_async(HandlerTable& table);
void add_small_formats(HandlerTable& table);
void add_heap(HandlerTable& table);
void add_textures(HandlerTable& table);
void add_matrices(HandlerTable& table);
void add_group_matrices(HandlerTable& table);

}  // namespace strata::traces::ptx
