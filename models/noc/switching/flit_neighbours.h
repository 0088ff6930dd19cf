#pragma once

#include "models/common/units.h"

namespace strata {

/// Calls of a network of flits to the stages beside it. Only linked ports make them.
class FlitNeighbours {
 public:
  virtual ~FlitNeighbours() = default;
  /// A flit that is not a head leaves `output` in VC `vc` in cycle `at`.
  virtual void forward_flit(int output, int vc, Cycle at) = 0;
  /// A slot of VC `vc` of `input` can be given away by the neighbour's switch in cycle `at`.
  virtual void return_credit(int input, int vc, Cycle at) = 0;
};

}  // namespace strata
