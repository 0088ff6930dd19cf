#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// A warp of one of the SMs of a cluster of SMs.
struct ClusterWarp {
  int sm = 0;
  int slot = 0;
};

/// The barriers of the thread block clusters that run on the SMs of one `sm_cluster`: a warp arrives, and
/// waits later for the end of the phase in which it has arrived.
class ClusterBarriers {
 public:
  using Cluster = std::pair<std::uint32_t, std::uint64_t>;  ///< kernel, and which of its clusters

  /// Arrives; `needed` warps meet. Returns the warps that go on.
  std::vector<ClusterWarp> arrive(const Cluster& cluster, unsigned needed, ClusterWarp warp);
  /// True: the phase in which the warp has arrived is over. Else it is among those that arrive() returns.
  bool wait(const Cluster& cluster, ClusterWarp warp);
  /// A thread block of the cluster has ended; with the last of `ctas` nothing is kept.
  void end(const Cluster& cluster, unsigned ctas);

 private:
  struct Barrier {
    unsigned arrived = 0;
    unsigned ended = 0;  // thread blocks
    std::uint64_t phase = 0;
    std::map<std::pair<int, int>, std::uint64_t> arrivals;  // the phase of each warp's last one
    std::vector<ClusterWarp> waiting;
  };
  std::map<Cluster, Barrier> barriers_;
};

/// What an SM asks of the others of its cluster.
class ClusterMeetingIf {
 public:
  virtual ~ClusterMeetingIf() = default;
  virtual ClusterBarriers& barriers() = 0;
  /// These warps go on in the next cycle.
  virtual void release(const std::vector<ClusterWarp>& warps, Cycle now) = 0;
};

}  // namespace strata
