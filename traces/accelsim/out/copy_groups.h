#pragma once

#include <cstdint>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Asynchronous copies of a warp and their groups, as far as Accel-Sim needs them told its own way.
///
/// - It keeps a list of groups and looks at all but the newest N when a wait leaves N: with fewer groups it
///   reads outside of its list. So a wait leaves no more than there are.
/// - It knows a copy that is under way by its PC and the address of lane 0, which is 0 while that lane is
/// off,
///   and waits forever for the second of two that are equal. So the PC of a copy that may meet its like is
///   one of the 15 behind, where no instruction begins.
class CopyGroups {
 public:
  /// A warp begins.
  void begin();
  /// A copy at `pc` with `first_address` of lane 0, 0 where it is off: the PC to write.
  std::uint32_t pc_of(std::uint32_t pc, Address first_address);
  void commit() { ++groups_; }
  /// A wait until `left` groups are incomplete: the number to write.
  std::uint32_t wait(std::uint32_t left);

 private:
  struct Copy {
    std::uint32_t pc;  // as written
    std::uint32_t group;
    Address address;
  };

  std::vector<Copy> under_way_;
  std::uint32_t groups_ = 0;  // that were committed
};

}  // namespace strata::traces
