#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), levels = data.value("levels");
  const auto graph = data.i32("graph", 2 * nodes), edges = data.i32("edges"), cost = data.i32("cost", nodes);
  const auto visited = data.u8("visited", nodes);
  std::vector<std::int32_t> queue = {0};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::int32_t node = queue[at];
    for (std::int32_t i = graph[2 * node]; i < graph[2 * node] + graph[2 * node + 1]; ++i)
      if (visited[edges[i]] == 0) {
        visited[edges[i]] = 1;
        cost[edges[i]] = cost[node] + 1;
        queue.push_back(edges[i]);
      }
  }
  if (cost[queue.back()] > levels)
    throw ConfigError("reference 'breadth_first_search': the graph is " + std::to_string(cost[queue.back()]) +
                      " levels deep; the value 'levels' says " + std::to_string(levels));
}

// A random graph of constant degree; node 0 is the frontier, and has cost 0.
void prepare_breadth_first_search(HostData& data) {
  const std::int64_t nodes = data.value("nodes"), degree = data.value("degree");
  const auto graph = data.i32("graph", 2 * nodes), edges = data.i32("edges", nodes * degree),
             cost = data.i32("cost", nodes);
  RandomStream random(data.seed_of("edges"));
  for (std::int64_t i = 0; i < nodes; ++i) {
    graph[2 * i] = static_cast<std::int32_t>(i * degree);
    graph[2 * i + 1] = static_cast<std::int32_t>(degree);
  }
  for (std::int32_t& edge : edges)
    edge = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
  std::fill(cost.begin(), cost.end(), -1);
  cost[0] = 0;
  data.u8("frontier", nodes)[0] = data.u8("visited", nodes)[0] = 1;
}

}  // namespace strata::traces::references
