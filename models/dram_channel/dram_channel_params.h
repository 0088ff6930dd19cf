#pragma once

#include "models/common/params.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

/// What a user may set on a DRAM channel.
struct DramChannelParams final : ParamSet, UsesTimingSet {
  bool check = true;
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
