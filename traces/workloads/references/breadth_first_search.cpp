#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), levels = data.value("levels");
  const auto first = data.i32("first", nodes + 1), edges = data.i32("edges"),
             depth = data.i32("depth", nodes);
  std::vector<std::int32_t> queue = {0};
  std::fill(depth.begin(), depth.end(), -1);
  depth[0] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (std::int32_t i = first[queue[at]]; i < first[queue[at] + 1]; ++i)
      if (depth[edges[i]] < 0) {
        depth[edges[i]] = depth[queue[at]] + 1;
        queue.push_back(edges[i]);
      }
  if (depth[queue.back()] > levels)
    throw ConfigError("reference 'breadth_first_search': the graph is " +
                      std::to_string(depth[queue.back()]) + " levels deep; the value 'levels' says " +
                      std::to_string(levels));
}

// A random graph of constant degree; node 0 has depth 0, all others none.
void prepare_breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), degree = data.value("degree");
  const auto first = data.i32("first", nodes + 1), edges = data.i32("edges", nodes * degree),
             depth = data.i32("depth", nodes);
  RandomStream random(data.seed_of("edges"));
  for (std::int64_t i = 0; i <= nodes; ++i) first[i] = static_cast<std::int32_t>(i * degree);
  for (std::int32_t& edge : edges)
    edge = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
  std::fill(depth.begin(), depth.end(), -1);
  depth[0] = 0;
}

}  // namespace strata::traces::references
