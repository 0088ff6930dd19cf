#pragma once

#include <cstdint>

#include "models/common/access.h"

namespace strata {

/// Learns what accesses do to the order of use of a slice's lines, each time before it happens. It changes
/// nothing.
class LineUseIf {
 public:
  /// An access finds the line in `way`, which becomes the one used last.
  virtual void used(std::uint32_t set, int way, const Access& by) = 0;
  /// A new line takes `way`, empty or not, and becomes the one used last.
  virtual void placed(std::uint32_t set, int way, const Access& by) = 0;
  /// An access counts as a miss of the slice.
  virtual void missed(const Access& by) = 0;

 protected:
  ~LineUseIf() = default;
};

}  // namespace strata
