#pragma once

#include <memory>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "tb/support/no_stats.h"

namespace strata::tb {

struct NoParams final : ParamSet {
  void for_each_param(ParamVisitor&) override {}
};
/// Sockets of an LLC slice; takes every request and keeps it for ever.
class SilentSlice final : public Block {
 public:
  SilentSlice(sc_core::sc_module_name name, const BuildContext& context)
      : Block(name, context.clock), noc_(*this, "noc", 0, 0), mem_(*this, "mem", 0, 0) {}
  Accept request(Txn&, int, Cycle at) override { return Accept::taken(at); }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

 private:
  NoStats stats_;
  TargetPort noc_;
  InitiatorPort mem_;
};

inline const ModuleKind& silent_slice_kind() {
  static const ModuleKind kind = {
      "silent_slice",
      "never answers",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<NoParams>(); },
      [](const ParamSet&) {
        return std::vector<PortSpec>{{"noc", PortRole::target, 1, false, "tlm", "requests"},
                                     {"mem", PortRole::initiator, 1, false, "tlm", "unused"}};
      },
      [](const char* name, const ParamSet&, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<SilentSlice>(name, context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<NoStats>(); }};
  return kind;
}

}  // namespace strata::tb
