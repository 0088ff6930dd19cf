// Requests are served in batches by the time of their arrival. Row hits pass older requests of their own
// batch only.
#include "models/memory_controller/dram_scheduler.h"

#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::DramScheduler {
 public:
  bool lets_pass(const strata::DramRequest& hit, const strata::DramRequest& first) const override {
    return rank(hit) <= rank(first);
  }
  strata::Cycle rank(const strata::DramRequest& request) const override { return request.accepted / 256; }
};

std::unique_ptr<strata::DramScheduler> make(const strata::MemoryControllerParams&) {
  return std::make_unique<MyPlugin>();
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::DramSchedulerRow{"my_plugin", "batches of 256 cycles, row hits first in each", make});
}
