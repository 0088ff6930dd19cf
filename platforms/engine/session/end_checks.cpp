#include "platforms/engine/session/end_checks.h"

#include "platforms/report/hop_laws.h"
#include "platforms/report/laws.h"

namespace strata::platforms {

Faults check_end(const Platform& platform, const std::vector<InstanceStats>& tables) {
  Faults faults = check_laws(tables);
  const Faults hops = check_hops(platform.netlist(), tables);
  faults.insert(faults.end(), hops.begin(), hops.end());
  for (const PlatformInstance& instance : platform.instances()) {
    for (const Fault& fault : instance.block->check_idle()) {
      const std::string name = instance.full_name();
      std::string text = to_text(fault);
      if (text.find(name) == std::string::npos) text = name + ": " + text;
      faults.push_back({{}, "not idle at the end: " + text});
    }
  }
  return faults;
}

}  // namespace strata::platforms
