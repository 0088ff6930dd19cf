// What the netlist knows of `l1_private`.
#include "models/l1/l1_private_at.h"
#include "models/l1/l1_private_lt.h"

namespace strata {

const ModuleKind& l1_private_kind() {
  static const ModuleKind kind = module_kind<L1PrivateParams, L1PrivateStats, L1PrivateAt, L1PrivateLt>(
      "l1_private", "Private L1 data cache: LRU, write-through without allocation, MSHRs with merging",
      Role::l1, "core", [](const ParamSet&) -> std::vector<PortSpec> {
        return {{"core",
                 PortRole::target,
                 1,
                 false,
                 "tlm",
                 "line accesses of the SM",
                 {{"requests", "flushes"}, {"replies"}}},
                {"noc",
                 PortRole::initiator,
                 1,
                 false,
                 "tlm",
                 "fetches and forwarded accesses towards the LLC",
                 {{"requests_to_llc"}, {"replies_from_llc"}}}};
      });
  return kind;
}

}  // namespace strata
