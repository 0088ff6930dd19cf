#include "models/memory_controller/row_policy.h"

namespace strata {
namespace {

class RowsStayOpen final : public RowPolicy {
 public:
  Cycle close_at(const OpenRow&) const override { return never; }
};

}  // namespace

RowPolicyRow open_row_policy() {
  return {"open", "when a request wants another row of its bank",
          [](const MemoryControllerParams&) -> std::unique_ptr<RowPolicy> {
            return std::make_unique<RowsStayOpen>();
          }};
}

}  // namespace strata
