// The row of `traffic_generator` in the table of modules.
#include "models/traffic/traffic.h"

namespace strata {

const ModuleKind& traffic_generator_kind() {
  static const ModuleKind kind = module_kind<TrafficParams, TrafficStats, Traffic, true>(
      "traffic_generator", "Random memory traffic of a given load, in place of SMs or of SMs and L1s",
      Role::generator, "core", [](const ParamSet& set) -> std::vector<PortSpec> {
        const auto& params = static_cast<const TrafficParams&>(set);
        const HopCounters hop = {{"sent"}, {"answered_at_once", "round_trips"}};
        if (params.place == TrafficPlace::sm)
          return {tlm_sockets(
              "l1", PortRole::initiator, params.ports,
              "Line accesses of port i, to an L1; with `place: l1` the sockets are called `noc` and go "
              "to a router stage",
              hop, "core")};
        return {tlm_sockets("noc", PortRole::initiator, params.ports,
                            "Line accesses of port i, to a router stage", hop)};
      });
  return kind;
}

}  // namespace strata
