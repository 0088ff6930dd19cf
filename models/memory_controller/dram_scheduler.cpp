#include "models/memory_controller/dram_scheduler.h"

#include <array>

namespace strata {
namespace {

/// First ready, first come first served: row hits always pass (Rixner et al., "Memory Access Scheduling",
/// ISCA 2000). CommandPlanner has a faster path for this order.
class FrFcfs final : public DramScheduler {
 public:
  bool lets_pass(const DramRequest&, const DramRequest&) const override { return true; }
};

/// First come first served in each bank; banks work in parallel (the in-order policy of Rixner et al., ISCA
/// 2000, section 3).
class Fcfs final : public DramScheduler {
 public:
  bool lets_pass(const DramRequest&, const DramRequest&) const override { return false; }
};

/// FR-FCFS with a cap on how many column commands in a row may pass the first request of their bank
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

// In the order of DramOrder.
PolicyTable<DramSchedulerRow>& DramSchedulerRow::table() {
  using Made = std::unique_ptr<DramScheduler>;
  using Params = MemoryControllerParams;
  static PolicyTable<DramSchedulerRow> rows = {
      {"fr_fcfs", "row hits first, then the oldest",
       [](const Params&) -> Made { return std::make_unique<FrFcfs>(); }},
      {"fcfs", "the oldest of each bank", [](const Params&) -> Made { return std::make_unique<Fcfs>(); }},
      {"fr_fcfs_cap", "as fr_fcfs, but at most row_hit_cap row hits in a row pass an older request",
       [](const Params& params) -> Made { return std::make_unique<FrFcfsCap>(params); }}};
  return rows;
}

}  // namespace strata
