#include <numeric>

#include "tb/machines/draw_parts.h"

namespace strata::tb {
namespace {

void set(Part& part, const std::string& key, std::int64_t value) {
  part.insert(part.end(), {"--set", key + "=" + std::to_string(value)});
}

}  // namespace

Part draw_shape(const platforms::ResolvedNetlist& netlist, Random& random) {
  const bool traffic = group_of_kind(netlist, "traffic_generator") != nullptr;
  const std::int64_t clusters = random.between(1, 4), sms = random.between(1, 4),
                     channels = random.between(1, 4);
  // A bypassed router leads every cluster to a slice of its own.
  const std::int64_t slices = random.chance(0.8) ? clusters : random.between(1, 4);
  std::int64_t controllers = 1;
  Part part;
  for (const platforms::ResolvedGroup& group : netlist.groups)
    if (group.kind->name == "memory_controller" && group_of_kind(netlist, "llc_control") != nullptr &&
        group.count() > netlist.address_map.channels) {
      controllers = random.between(1, 4);
      set(part, group.name + ".controllers_per_channel", controllers);
    }
  if (const platforms::ResolvedGroup* control = group_of_kind(netlist, "llc_control"))
    set(part, control->name + ".degree", std::gcd(clusters, slices));
  set(part, traffic ? "gen.count" : "sm.count", clusters);
  set(part, traffic ? "gen.ports" : "sm.sms", sms);
  set(part, "llc.count", channels * slices);
  set(part, "mc.count", channels * controllers);
  set(part, "address_map.slices_per_channel", slices);
  return part;
}

}  // namespace strata::tb
