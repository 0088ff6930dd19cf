#include "platforms/report/requesters_table.h"

#include "models/dcl1_node/dcl1_node_shell.h"

namespace strata::platforms {

std::string requesters_csv(const Platform& platform) {
  std::string text;
  for (const PlatformInstance& instance : platform.of_role(Role::l1)) {
    const auto* node = dynamic_cast<const DcL1NodeShell*>(instance.block);
    if (node == nullptr || node->requesters() == nullptr) continue;
    if (text.empty()) text = "node,sm,requests,accesses,hits,misses,merges,bypasses,stores,atomics\n";
    const auto& by_sm = node->requesters()->by_sm();
    for (std::size_t sm = 0; sm < by_sm.size(); ++sm) {
      const DcL1RequesterCounts& of = by_sm[sm];
      if (of.requests == 0) continue;
      text += instance.full_name() + "," + std::to_string(sm);
      for (const std::uint64_t count :
           {of.requests, of.accesses, of.hits, of.misses, of.merges, of.bypasses, of.stores, of.atomics})
        text += "," + std::to_string(count);
      text += "\n";
    }
  }
  return text;
}

}  // namespace strata::platforms
