#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "models/common/policy_table.h"

namespace strata {

/// Some ways of a set: bit w is way w.
using WayMask = std::uint64_t;

constexpr WayMask only_way(int way) {
  return WayMask{1} << way;
}
constexpr WayMask first_ways(int ways) {
  return ~WayMask{0} >> (64 - ways);
}

/// Without the call that the builtin is on plain x86-64 (Warren, Hacker's Delight, 5-1).
constexpr unsigned count_ways(WayMask ways) {
  if ((ways & (ways - 1)) == 0) return ways != 0 ? 1 : 0;
  ways -= ways >> 1 & 0x5555555555555555;
  ways = (ways & 0x3333333333333333) + (ways >> 2 & 0x3333333333333333);
  return static_cast<unsigned>(((ways + (ways >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

/// Policy: which line of a set makes room. It learns what becomes of the ways and knows nothing of lines, so
/// that caches of any shape can use it. Which of several empty ways is filled is not its choice.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// An access has found its line in this way.
  virtual void hit(std::uint32_t set, int way) = 0;
  /// An access has found what it wants in several ways.
  virtual void hits(std::uint32_t set, WayMask ways) {
    for (; ways != 0; ways &= ways - 1) hit(set, __builtin_ctzll(ways));
  }
  /// A new line is in this way, which was empty or `victim`'s.
  virtual void fill(std::uint32_t set, int way) = 0;
  /// One access puts new lines in several ways and has found what else it wants in `found`: bits fall and
  /// lines age once for it, and none of what it uses falls or ages itself. A way that its old line has left
  /// beside those that `victim` named was reported as empty before.
  virtual void fills(std::uint32_t set, WayMask ways, WayMask found) {
    hits(set, found);
    for (; ways != 0; ways &= ways - 1) fill(set, __builtin_ctzll(ways));
  }
  /// The way is empty now.
  virtual void invalidate(std::uint32_t set, int way) = 0;
  /// Several ways are.
  virtual void invalidates(std::uint32_t set, WayMask ways) {
    for (; ways != 0; ways &= ways - 1) invalidate(set, __builtin_ctzll(ways));
  }
  /// So are all ways of all sets.
  virtual void invalidate_all() = 0;
  /// Which of `candidates`, at least one and all with lines, makes room first. Nothing changes: until
  /// something happens to the set, the answer stays. So a fill can be tried before it is made, and whoever
  /// needs several victims at once asks again without those he has.
  virtual int victim(std::uint32_t set, WayMask candidates) const = 0;
};

struct ReplacementShape {
  std::uint64_t sets = 1;
  int ways = 1;            // at most 64
  std::uint64_t seed = 0;  // of this cache
};

/// A row of the table of policies.
struct ReplacementPolicy {
  std::string_view name;
  std::string_view sentence;  // what makes room
  std::unique_ptr<Replacement> (*make)(const ReplacementShape& shape);
  std::uint64_t (*bits)(int ways);  // storage of a set

  static constexpr std::string_view kind = "replacement";
  static PolicyTable<ReplacementPolicy>& table();
};

/// The first is the usual default.
inline const PolicyTable<ReplacementPolicy>& replacement_policies() {
  return ReplacementPolicy::table();
}
/// The row of that name, which must be there: for caches with another default.
int replacement_row(std::string_view name);
/// Parameter `replacement` of a cache: a row of the table.
void replacement_param(ParamVisitor& visitor, int& row);

}  // namespace strata
