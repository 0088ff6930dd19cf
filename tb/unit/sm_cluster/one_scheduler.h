#pragma once

#include "models/sm_cluster/sm_cluster_params.h"

namespace strata::tb {

inline SmClusterParams one_scheduler() {
  SmClusterParams params;
  params.schedulers = 1;
  return params;
}

}  // namespace strata::tb
