#include "models/memory_controller/row_policy.h"

namespace strata {
namespace {

class RowsCloseAtOnce final : public RowPolicy {
 public:
  Cycle close_at(const OpenRow& open) const override { return open.last_use; }
};

}  // namespace

RowPolicyRow closed_row_policy() {
  return {"closed", "as soon as nothing waits for it",
          [](const MemoryControllerParams&) -> std::unique_ptr<RowPolicy> {
            return std::make_unique<RowsCloseAtOnce>();
          }};
}

}  // namespace strata
