#pragma once

#include "models/common/units.h"

namespace strata {

/// A cache or memory controller that can return to its state before the first launch while nothing is in
/// flight: no line is valid, no row is open. Dirty lines are dropped without traffic.
class ColdStateIf {
 public:
  /// Does one step, as far as its timing allows in this cycle. Returns true when nothing is left to do; the
  /// caller calls it again in later cycles until then.
  virtual bool make_cold() = 0;

 protected:
  ~ColdStateIf() = default;
};

/// A cache that can hold lines before any access has asked for them, as copies from the host leave them.
class WarmLinesIf {
 public:
  /// Makes the line valid, whole and clean, unless no way is free of pending fills and dirty data.
  virtual void warm_line(Address line) = 0;

 protected:
  ~WarmLinesIf() = default;
};

}  // namespace strata
