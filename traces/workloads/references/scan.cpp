#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void scan(HostData& data) {
  const auto in = data.u32("in"), out = data.u32("out", in.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = sum += in[i];
}

}  // namespace strata::traces::references
