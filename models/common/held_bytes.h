#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "models/common/units.h"

namespace strata {

/// Bit i: byte i of a sector.
using ByteMask = std::uint32_t;
constexpr ByteMask all_bytes = ~ByteMask{0};
static_assert(sector_bytes == 32, "a mask has a bit for each byte of a sector");

inline void copy_masked(unsigned char* to, const unsigned char* from, ByteMask which) {
  if (which == all_bytes) {
    std::memcpy(to, from, sector_bytes);
    return;
  }
  for (; which != 0; which &= which - 1) to[__builtin_ctz(which)] = from[__builtin_ctz(which)];
}

/// The bytes of which all four of their 32-bit word are in `which`.
constexpr ByteMask whole_words(ByteMask which) {
  const ByteMask first = which & which >> 1 & which >> 2 & which >> 3 & 0x11111111U;
  return first * 0xfU;
}

/// What a cache knows of a sector.
struct HeldBytes {
  unsigned char bytes[sector_bytes] = {};
  ByteMask here = 0;     ///< bytes that are known
  ByteMask written = 0;  ///< of these: newer than the memory's
};

/// The bytes beside the tags of a cache, by the address of their sector. Where a line ends, the tags say.
class HeldSectors {
 public:
  HeldBytes& at(Address sector) { return sectors_[sector]; }
  /// Null: nothing is known of it.
  HeldBytes* find(Address sector) {
    const auto found = sectors_.find(sector);
    return found == sectors_.end() ? nullptr : &found->second;
  }
  void drop(Address sector) { sectors_.erase(sector); }
  void drop_line(Address line, std::uint64_t bytes) {
    for (Address sector = line; sector < line + bytes; sector += sector_bytes) sectors_.erase(sector);
  }
  /// Now and then, so that what the tags have let go takes no room: drops what `keep(sector)` does not want.
  template <class Keep>
  void tidy(Keep keep) {
    if (sectors_.size() < crowded_) return;
    for (auto sector = sectors_.begin(); sector != sectors_.end();)
      sector = keep(sector->first) ? std::next(sector) : sectors_.erase(sector);
    crowded_ = sectors_.size() * 2 + least_crowded;
  }
  std::size_t size() const { return sectors_.size(); }

 private:
  static constexpr std::size_t least_crowded = 1024;
  std::unordered_map<Address, HeldBytes> sectors_;  // walked only to drop entries that no access needs
  std::size_t crowded_ = least_crowded;
};

}  // namespace strata
