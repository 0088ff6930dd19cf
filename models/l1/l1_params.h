#pragma once

#include "models/common/params.h"

namespace strata {

/// What the shell of every L1 offers. Default latency: 28 cycles (HPCA 2021, Table II).
struct L1Params : ParamSet {
  int latency = 28;
  int miss_latency = 1;
  int port_cycles = 1;
  int miss_queue = 8;

  /// From a load to its data when it hits, with all that an organization adds.
  virtual int hit_latency() const { return latency; }
  void for_each_param(ParamVisitor& visitor) override;
};

}  // namespace strata
