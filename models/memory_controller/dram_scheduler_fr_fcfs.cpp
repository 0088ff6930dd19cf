#include "models/memory_controller/dram_scheduler.h"

namespace strata {
namespace {

/// First ready, first come first served: row hits always pass (Rixner et al., "Memory Access Scheduling",
/// ISCA 2000). CommandPlanner knows this order and plans it from one event to the next.
class FrFcfs final : public DramScheduler {
 public:
  bool lets_pass(const DramRequest&, const DramRequest&) const override { return true; }
};

}  // namespace

DramSchedulerRow fr_fcfs_scheduler() {
  return {"fr_fcfs", "row hits first, then the oldest",
          [](const MemoryControllerParams&) -> std::unique_ptr<DramScheduler> {
            return std::make_unique<FrFcfs>();
          }};
}

}  // namespace strata
