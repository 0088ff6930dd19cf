#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// In double precision: the kernel adds in another order.
void reduction(HostData& data) {
  const auto in = data.f32("in"), sums = data.f32("sums");
  std::vector<double> exact(sums.size());
  for (std::size_t i = 0; i < in.size(); ++i) exact[i / 512 % sums.size()] += in[i];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(exact[i]);
}

}  // namespace strata::traces::references
