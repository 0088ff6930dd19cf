#include <algorithm>
#include <array>

#include "models/memory_controller/row_policy.h"

namespace strata {
namespace {

/// A timeout that doubles when the policy closed a row too early and halves when it closed it too late.
class RowsLearnTimes final : public RowPolicy {
 public:
  explicit RowsLearnTimes(const MemoryControllerParams& params)
      : least_(static_cast<Cycle>(params.idle_close_min)), most_(static_cast<Cycle>(params.idle_close_max)) {
    idle_.fill(static_cast<Cycle>(params.idle_close));
  }
  Cycle close_at(const OpenRow& open) const override { return open.last_use + idle_[place(open.bank)]; }
  void closed_too_early(int bank) override { set(bank, idle_[place(bank)] * 2); }
  void closed_too_late(int bank) override { set(bank, idle_[place(bank)] / 2); }

 private:
  static std::size_t place(int bank) { return static_cast<std::size_t>(bank); }
  void set(int bank, Cycle idle) { idle_[place(bank)] = std::clamp(idle, least_, most_); }

  const Cycle least_, most_;
  std::array<Cycle, max_banks> idle_{};
};

}  // namespace

RowPolicyRow adaptive_row_policy() {
  return {"adaptive", "likewise, after a time that each bank learns",
          [](const MemoryControllerParams& params) -> std::unique_ptr<RowPolicy> {
            return std::make_unique<RowsLearnTimes>(params);
          }};
}

}  // namespace strata
