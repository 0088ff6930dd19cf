#include <array>

#include "models/memory_controller/dram_scheduler.h"

namespace strata {
namespace {

/// FR-FCFS with a cap: at most so many column commands in a row pass the first request of their bank
/// (FR-FCFS+Cap of Mutlu and Moscibroda, "Stall-Time Fair Memory Access Scheduling", MICRO 2007).
class FrFcfsCap final : public DramScheduler {
 public:
  explicit FrFcfsCap(const MemoryControllerParams& params) : cap_(params.row_hit_cap) {}
  bool lets_pass(const DramRequest& hit, const DramRequest&) const override {
    return passed_[hit.bank] < cap_;
  }
  void served(const DramRequest& request, bool passed) override {
    int& streak = passed_[request.bank];
    streak = passed ? streak + 1 : 0;
  }

 private:
  const int cap_;
  std::array<int, max_banks> passed_{};  // in a row, by bank
};

}  // namespace

DramSchedulerRow fr_fcfs_cap_scheduler() {
  return {"fr_fcfs_cap", "as fr_fcfs, but at most row_hit_cap row hits in a row pass an older request",
          [](const MemoryControllerParams& params) -> std::unique_ptr<DramScheduler> {
            return std::make_unique<FrFcfsCap>(params);
          }};
}

}  // namespace strata
