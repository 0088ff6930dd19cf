// What the netlist knows of `l1_private`.
#include "models/l1/l1_private_at.h"
#include "models/l1/l1_private_lt.h"

namespace strata {

const ModuleKind& l1_private_kind() {
  static const ModuleKind kind{
      "l1_private",
      "Private L1 data cache: LRU, write-through without allocation, MSHRs with merging",
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<L1PrivateParams>(); },
      [](const ParamSet&) -> std::vector<PortSpec> {
        return {
            {"core", PortRole::target, 1, false, "tlm", "line accesses of the SM"},
            {"noc", PortRole::initiator, 1, false, "tlm", "fetches and forwarded accesses towards the LLC"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<L1PrivateAt>(name, static_cast<const L1PrivateParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<L1PrivateStats>(); },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<L1PrivateLt>(name, static_cast<const L1PrivateParams&>(params), context);
      }};
  return kind;
}

}  // namespace strata
