#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/netlist/platform.h"
#include "platforms/report/summary.h"

namespace strata::platforms {

/// Watches accesses of a run and has figures of it at the end (`strata run --observe NAME`). One at a time:
/// a module knows a single watch.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// At the end of the run, once.
  virtual std::vector<SummaryRow> figures() = 0;
  /// Misses of L1s that L1s of twice the size would spare, where it counts them.
  virtual double spared() const { return 0; }
};

/// sharing, replication, ...
std::vector<std::string> observer_names();
/// `name` must be one of them. The observer must outlive the simulation.
std::unique_ptr<RunObserver> make_observer(const std::string& name, const Platform& platform);
/// Names, units and sentences of the figures of all of them, values zero.
std::vector<SummaryRow> describe_observers();

/// A whole figure.
SummaryRow observed(const char* name, const char* unit, const char* sentence, std::uint64_t count);

}  // namespace strata::platforms
