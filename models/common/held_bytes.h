#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "models/common/units.h"

namespace strata {

/// Bit i: byte i of a chunk.
using ByteMask = std::uint32_t;
constexpr ByteMask all_bytes = ~ByteMask{0};
static_assert(chunk_bytes == 32, "a mask has a bit for each byte of a chunk");

inline void copy_masked(unsigned char* to, const unsigned char* from, ByteMask which) {
  if (which == all_bytes) {
    std::memcpy(to, from, chunk_bytes);
    return;
  }
  for (; which != 0; which &= which - 1) to[__builtin_ctz(which)] = from[__builtin_ctz(which)];
}

/// The bytes of which all four of their 32-bit word are in `which`.
constexpr ByteMask whole_words(ByteMask which) {
  const ByteMask first = which & which >> 1 & which >> 2 & which >> 3 & 0x11111111U;
  return first * 0xfU;
}

/// What a cache knows of a chunk.
struct HeldBytes {
  unsigned char bytes[chunk_bytes] = {};
  ByteMask here = 0;     ///< bytes that are known
  ByteMask written = 0;  ///< of these: newer than the memory's
};

/// The bytes beside the tags of a cache, by the address of their chunk. Where a line ends, the tags say.
class HeldChunks {
 public:
  HeldBytes& at(Address chunk) { return chunks_[chunk]; }
  /// Null: nothing is known of it.
  HeldBytes* find(Address chunk) {
    const auto found = chunks_.find(chunk);
    return found == chunks_.end() ? nullptr : &found->second;
  }
  void drop(Address chunk) { chunks_.erase(chunk); }
  void drop_line(Address line, std::uint64_t bytes) {
    for (Address chunk = line; chunk < line + bytes; chunk += chunk_bytes) chunks_.erase(chunk);
  }
  /// Now and then, so that what the tags have let go takes no room: drops what `keep(chunk)` does not want.
  template <class Keep>
  void tidy(Keep keep) {
    if (chunks_.size() < crowded_) return;
    for (auto chunk = chunks_.begin(); chunk != chunks_.end();)
      chunk = keep(chunk->first) ? std::next(chunk) : chunks_.erase(chunk);
    crowded_ = chunks_.size() * 2 + least_crowded;
  }
  std::size_t size() const { return chunks_.size(); }

 private:
  static constexpr std::size_t least_crowded = 1024;
  std::unordered_map<Address, HeldBytes> chunks_;  // walked only to drop what nobody asks for any more
  std::size_t crowded_ = least_crowded;
};

}  // namespace strata
