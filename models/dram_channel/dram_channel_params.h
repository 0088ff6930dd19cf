#pragma once

#include <string>

#include "models/common/params.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

/// What a user may set on a DRAM channel.
struct DramChannelParams final : ParamSet {
  std::string timing_set = "gddr5_isca19";
  bool check = true;
  TimingSet timing;  ///< resolved from `timing_set` by whoever builds the platform; the default needs no file
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
