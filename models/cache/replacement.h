#pragma once

#include <cstdint>

namespace strata {

/// Some ways of a set: bit w is way w.
using WayMask = std::uint64_t;

constexpr WayMask only_way(int way) {
  return WayMask{1} << way;
}
constexpr WayMask first_ways(int ways) {
  return ~WayMask{0} >> (64 - ways);
}

/// Policy: which line of a set makes room. It learns what becomes of the ways and knows nothing of lines, so
/// that tags, sampled tags and caches of other shapes share it. Empty ways are filled first, whatever the
/// policy.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// An access has found its line in this way.
  virtual void hit(std::uint32_t set, int way) = 0;
  /// A new line is in this way: `victim`'s, or one that was empty.
  virtual void fill(std::uint32_t set, int way) = 0;
  /// The way is empty now.
  virtual void invalidate(std::uint32_t set, int way) = 0;
  /// So are all ways of all sets.
  virtual void invalidate_all() = 0;
  /// Of `candidates`, at least one and all with lines, the way that makes room first. Asked again before
  /// anything has happened to the set it says the same: what must be known before a fill can be.
  virtual int victim(std::uint32_t set, WayMask candidates) const = 0;
};

}  // namespace strata
