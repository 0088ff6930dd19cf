#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "models/common/access.h"
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

/// What a policy sees of the access that hits, or that waits longest for the line that is filled.
struct ReplacementContext {
  std::uint32_t pc = 0;    // of its instruction; 0: the trace does not say, or no warp waits
  std::uint16_t warp = 0;  // slot in its SM
  std::uint8_t application = 0;
  AccessClass kind = AccessClass::load;

  static ReplacementContext of(const Access& access) {
    return {access.pc, access.warp, access.application, access.access_class};
  }
  static ReplacementContext of(const Access* access) {
    return access == nullptr ? ReplacementContext{} : of(*access);
  }
};

/// Policy: which line of a set is evicted. It learns what becomes of the ways and knows nothing of addresses,
/// so that caches of any shape can use it. Which of several empty ways is filled is not its choice.
///
/// A policy writes hit(), fill() and victim(). invalidate() and invalidate_all() are for policies whose
/// choice depends on what empty ways held; the plural functions are for policies to which one access in
/// several ways is not the same as several accesses.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// An access has found its line in this way.
  virtual void hit(std::uint32_t set, int way, const ReplacementContext& by) = 0;
  /// An access has found what it wants in several ways.
  virtual void hits(std::uint32_t set, WayMask ways, const ReplacementContext& by) {
    for (; ways != 0; ways &= ways - 1) hit(set, __builtin_ctzll(ways), by);
  }
  /// A new line is in this way, which was empty or `victim`'s.
  virtual void fill(std::uint32_t set, int way, const ReplacementContext& by) = 0;
  /// One access puts new lines in several ways and has found what else it wants in `found`: bits fall and
  /// lines age once for it, and none of what it uses falls or ages itself. A way that its old line has left
  /// beside those that `victim` named was reported as empty before.
  virtual void fills(std::uint32_t set, WayMask ways, WayMask found, const ReplacementContext& by) {
    hits(set, found, by);
    for (; ways != 0; ways &= ways - 1) fill(set, __builtin_ctzll(ways), by);
  }
  /// The way is empty now.
  virtual void invalidate(std::uint32_t, int) {}
  /// Several ways are.
  virtual void invalidates(std::uint32_t set, WayMask ways) {
    for (; ways != 0; ways &= ways - 1) invalidate(set, __builtin_ctzll(ways));
  }
  /// So are all ways of all sets.
  virtual void invalidate_all() {}
  /// Which of `candidates`, at least one and all with lines, is evicted first. It changes nothing and does
  /// not see the access: until something happens to the set, the reply is the same. So a cache can ask before
  /// it fills, and a fill that needs several victims asks again without those that it has.
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
  std::string_view sentence;  // which line is evicted
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
