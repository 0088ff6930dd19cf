#pragma once

#include "models/common/units.h"

namespace strata {

/// A cache in which lines may lie before anybody has asked for them, as copies from the host leave them.
class WarmLinesIf {
 public:
  /// The line is here, clean and whole; as far as there is room that nobody waits for or must write.
  virtual void warm_line(Address line) = 0;

 protected:
  ~WarmLinesIf() = default;
};

}  // namespace strata
