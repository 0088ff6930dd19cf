#include "models/memory_controller/dram_scheduler.h"

namespace strata {
namespace {

/// First come first served in each bank; banks work side by side (the in-order policy of Rixner et al., ISCA
/// 2000, section 3).
class Fcfs final : public DramScheduler {
 public:
  bool lets_pass(const DramRequest&, const DramRequest&) const override { return false; }
};

}  // namespace

DramSchedulerRow fcfs_scheduler() {
  return {"fcfs", "the oldest of each bank",
          [](const MemoryControllerParams&) -> std::unique_ptr<DramScheduler> {
            return std::make_unique<Fcfs>();
          }};
}

}  // namespace strata
