#include "models/memory_controller/row_policy.h"

#include <algorithm>
#include <array>

namespace strata {
namespace {

class RowsStayOpen final : public RowPolicy {
 public:
  Cycle close_at(const OpenRow&) const override { return never; }
};

class RowsCloseAtOnce final : public RowPolicy {
 public:
  Cycle close_at(const OpenRow& open) const override { return open.last_use; }
};

class RowsTimeOut final : public RowPolicy {
 public:
  explicit RowsTimeOut(const MemoryControllerParams& params) : idle_(static_cast<Cycle>(params.idle_close)) {}
  Cycle close_at(const OpenRow& open) const override { return open.last_use + idle_; }

 private:
  const Cycle idle_;
};

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

// In the order of PagePolicy.
PolicyTable<RowPolicyRow>& RowPolicyRow::table() {
  using Made = std::unique_ptr<RowPolicy>;
  using Params = MemoryControllerParams;
  static PolicyTable<RowPolicyRow> rows = {
      {"open", "when a request wants another row of its bank",
       [](const Params&) -> Made { return std::make_unique<RowsStayOpen>(); }},
      {"closed", "as soon as nothing waits for it",
       [](const Params&) -> Made { return std::make_unique<RowsCloseAtOnce>(); }},
      {"timeout", "idle_close cycles after its last column command",
       [](const Params& params) -> Made { return std::make_unique<RowsTimeOut>(params); }},
      {"adaptive", "after its last column command, by a time that each bank learns",
       [](const Params& params) -> Made { return std::make_unique<RowsLearnTimes>(params); }}};
  return rows;
}

}  // namespace strata
