#include <algorithm>
#include <numeric>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void merge_sort_blocks(HostData& data) {
  constexpr std::size_t block = 1024;
  const auto in_keys = data.u32("in_keys"), in_values = data.u32("in_values", in_keys.size()),
             keys = data.u32("keys", in_keys.size()), values = data.u32("values", in_keys.size());
  std::vector<std::size_t> order(block);
  for (std::size_t base = 0; base + block <= in_keys.size(); base += block) {
    std::iota(order.begin(), order.end(), base);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return in_keys[a] < in_keys[b]; });
    for (std::size_t i = 0; i < block; ++i) {
      keys[base + i] = in_keys[order[i]];
      values[base + i] = in_values[order[i]];
    }
  }
}

}  // namespace strata::traces::references
