#pragma once

#include <cstdint>

#include "models/common/units.h"

namespace strata {

/// Loads without a transaction: what a cache offers to the block at the other end of a binding of ours on
/// which nobody listens. It finds and counts what it would of a transaction.
class DirectLoadsIf {
 public:
  /// A load of `chunks` of a line that comes now: the cycle of its answer if it hits and is answered at once.
  /// Else never, and nothing has changed.
  virtual Cycle hit_now(Address line, std::uint8_t chunks, Cycle now) = 0;
  /// A load of this line will come, likely in the next cycle: ask for what it will look at.
  virtual void expect(Address line) = 0;

 protected:
  ~DirectLoadsIf() = default;
};

}  // namespace strata
