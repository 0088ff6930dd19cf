#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void radix_sort(HostData& data) {
  const auto keys = data.u32("keys");
  std::sort(keys.begin(), keys.end());
}

}  // namespace strata::traces::references
