#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Element ((warp + step * warps) * stride + lane) mod elements, in 32 bits.
void walk(HostData& data) {
  const auto stride = static_cast<std::uint32_t>(data.value("stride"));
  const auto elements = static_cast<std::uint32_t>(data.value("elements"));
  const auto steps = static_cast<std::uint32_t>(data.value("steps"));
  const auto array = data.u32("array", elements), sums = data.u32("sums");
  const auto warps = static_cast<std::uint32_t>(sums.size() / 32);
  for (std::uint32_t thread = 0; thread < sums.size(); ++thread) {
    sums[thread] = 0;
    for (std::uint32_t i = 0; i < steps; ++i)
      sums[thread] += array[((thread / 32 + i * warps) * stride + thread % 32) % elements];
  }
}

}  // namespace strata::traces::references
