#pragma once

#include <cstdint>
#include <memory>

#include "models/common/policy_table.h"
#include "models/sm_cluster/sm_cluster_params.h"

namespace strata {

/// The warps that a scheduler can issue from in a cycle, at least one, by age: 0 is its oldest warp.
struct ReadyWarps {
  std::uint64_t ages;         ///< bit a: the warp of age a is ready
  std::uint64_t last;         ///< bit of the warp that issued last; 0: it has ended, or none has
  const std::uint8_t* slots;  ///< by age; see slot()

  int oldest() const { return __builtin_ctzll(ages); }
  bool has(int age) const { return (ages >> age & 1) != 0; }
  /// Warp slot of the SM, which a warp keeps while its age changes.
  int slot(int age) const { return slots[age]; }
};

/// Policy: which ready warp a scheduler issues from. One object a scheduler.
class WarpOrder {
 public:
  virtual ~WarpOrder() = default;
  /// Age of the warp to issue from. The warp may yet find that what it needs is taken; then the scheduler
  /// asks again, without it.
  virtual int pick(const ReadyWarps& ready) = 0;
  /// An instruction of the warp in this slot was issued.
  virtual void issued(int /*slot*/) {}
  /// A new warp, the youngest, is in this slot.
  virtual void began(int /*slot*/) {}
};

/// A row of the table of warp schedulers.
struct WarpOrderRow {
  std::string_view name;
  std::string_view sentence;  ///< which ready warp issues
  std::unique_ptr<WarpOrder> (*make)(const SmClusterParams& params);

  static constexpr std::string_view kind = "warp scheduler";
  static PolicyTable<WarpOrderRow>& table();
};

/// Greedy, then oldest: the last warp if it is ready, else the oldest.
inline int pick_gto(const ReadyWarps& ready) {
  const std::uint64_t greedy = ready.ages & ready.last;
  return __builtin_ctzll(greedy != 0 ? greedy : ready.ages);
}
/// Loose round robin: the next ready warp behind the last one, by age.
inline int pick_lrr(const ReadyWarps& ready) {
  const std::uint64_t younger = ready.ages & ~(ready.last | (ready.last - 1));
  return __builtin_ctzll(ready.last != 0 && younger != 0 ? younger : ready.ages);
}

}  // namespace strata
