#include "models/sm_cluster/cluster_barriers.h"

namespace strata {

std::vector<ClusterWarp> ClusterBarriers::arrive(const Cluster& cluster, unsigned needed, ClusterWarp warp) {
  Barrier& barrier = barriers_[cluster];
  barrier.arrivals[{warp.sm, warp.slot}] = barrier.phase;
  if (++barrier.arrived < needed) return {};
  barrier.arrived = 0;
  ++barrier.phase;
  return std::exchange(barrier.waiting, {});
}

bool ClusterBarriers::wait(const Cluster& cluster, ClusterWarp warp) {
  Barrier& barrier = barriers_[cluster];
  const auto arrival = barrier.arrivals.find({warp.sm, warp.slot});
  if (arrival == barrier.arrivals.end() || arrival->second != barrier.phase) return true;
  barrier.waiting.push_back(warp);
  return false;
}

void ClusterBarriers::end(const Cluster& cluster, unsigned ctas) {
  if (barriers_.empty()) return;
  const auto found = barriers_.find(cluster);
  if (found != barriers_.end() && ++found->second.ended == ctas) barriers_.erase(found);
}

}  // namespace strata
