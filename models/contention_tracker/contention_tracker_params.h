#pragma once

#include "models/common/params.h"

namespace strata {

/// Parameters of `contention_tracker`.
struct ContentionTrackerParams final : ParamSet {
  enum class Owners : int { application, sm };

  Owners owners = Owners::application;
  int kernels = 8;  // applications that can run side by side
  int counter_bits = 32;

  void for_each_param(ParamVisitor& visitor) override;
};

}  // namespace strata
