#include "platforms/engine/netlist/launch_jitter.h"

#include "platforms/engine/netlist/param_table.h"

namespace strata::platforms {
namespace {

constexpr const char some_jitter[] = "2";

bool draws(const ParamRow& param) {
  return param.value.find("random") != std::string::npos || (param.name == "samplers" && param.value != "0");
}

}  // namespace

SeedUse seed_use(const ResolvedNetlist& netlist, bool plugins) {
  SeedUse use;
  use.choices = plugins;
  for (const ResolvedGroup& group : netlist.groups) {
    const bool launches = group.kind->role == Role::dispatcher;
    use.choices = use.choices || group.kind->role == Role::generator;
    for (const ParamRow& param : list_params(*group.base.params)) {
      use.choices = use.choices || draws(param);
      if (!launches || param.name != launch_jitter) continue;
      if (param.value == "0")
        use.sets.push_back(group.name + "." + launch_jitter + "=" + some_jitter);
      else
        use.starts = true;
    }
  }
  return use;
}

}  // namespace strata::platforms
