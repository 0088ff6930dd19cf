#pragma once

namespace strata {

/// A cache or memory controller that can be made as it is before the first launch, while nothing is under
/// way: no line is here, no row is open. Lines that only it holds are dropped without traffic.
class ColdStateIf {
 public:
  /// Goes one step on, as far as its timing allows now. Returns true when nothing is left to do; until then
  /// it is called again, in later cycles.
  virtual bool make_cold() = 0;

 protected:
  ~ColdStateIf() = default;
};

}  // namespace strata
