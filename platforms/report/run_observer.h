#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/engine/netlist/platform.h"
#include "platforms/report/summary.h"

namespace strata::platforms {

/// Watches accesses of a run and reports figures at its end (`strata run --observe NAME`). Only one at a
/// time: a module supports a single watch.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Call once, at the end of the run.
  virtual std::vector<SummaryRow> figures() = 0;
  /// Misses of L1s that L1s of twice the size would avoid, if it counts them.
  virtual double spared() const { return 0; }
};

/// sharing, replication, ...
std::vector<std::string> observer_names();
/// `name` must be one of observer_names(). The observer must outlive the simulation.
std::unique_ptr<RunObserver> make_observer(const std::string& name, const Platform& platform);
/// Names, units and sentences of the figures of all observers, values zero.
std::vector<SummaryRow> describe_observers();

/// `load_stall_cycles`, which runs with --by-source have.
SummaryRow load_stalls(std::uint64_t cycles);

/// A figure with a whole value.
SummaryRow observed(const char* name, const char* unit, const char* sentence, std::uint64_t count);

}  // namespace strata::platforms
