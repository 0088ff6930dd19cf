// A row is closed after four column commands, when nothing waits for it.
#include "models/memory_controller/row_policy.h"

#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::RowPolicy {
 public:
  strata::Cycle close_at(const strata::OpenRow& open) const override {
    return open.columns < 4 ? strata::never : open.last_use;
  }
};

std::unique_ptr<strata::RowPolicy> make(const strata::MemoryControllerParams&) {
  return std::make_unique<MyPlugin>();
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::RowPolicyRow{"my_plugin", "after four column commands", make});
}
