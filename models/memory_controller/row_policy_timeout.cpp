#include "models/memory_controller/row_policy.h"

namespace strata {
namespace {

class RowsTimeOut final : public RowPolicy {
 public:
  explicit RowsTimeOut(const MemoryControllerParams& params) : idle_(static_cast<Cycle>(params.idle_close)) {}
  Cycle close_at(const OpenRow& open) const override { return open.last_use + idle_; }

 private:
  const Cycle idle_;
};

}  // namespace

RowPolicyRow timeout_row_policy() {
  return {"timeout", "idle_close cycles after its last column command",
          [](const MemoryControllerParams& params) -> std::unique_ptr<RowPolicy> {
            return std::make_unique<RowsTimeOut>(params);
          }};
}

}  // namespace strata
