#pragma once

#include "models/common/units.h"

namespace strata {

class SmCore;

/// Sees an SM after each of its visits, in cycle `now` of its clock. `sm` is its number in the platform.
/// Observers change nothing; an SM without one runs the same instructions as if there were none to attach.
class SmWatchIf {
 public:
  virtual void visited(const SmCore& core, int sm, Cycle now) = 0;

 protected:
  ~SmWatchIf() = default;
};

}  // namespace strata
