#pragma once

#include "models/common/params.h"

namespace strata {

/// The control of an LLC.
struct LlcControlParams final : ParamSet {
  enum class Organization : int { shared, private_ };

  Organization organization = Organization::shared;
  int slices = 64;
  int routers = 1;
  void for_each_param(ParamVisitor& visitor) override;
};

}  // namespace strata
