// What the netlist knows of `traffic_generator`.
#include "models/traffic/traffic_at.h"
#include "models/traffic/traffic_lt.h"

namespace strata {

const ModuleKind& traffic_generator_kind() {
  static const ModuleKind kind = {
      "traffic_generator",
      "Random memory traffic of a given load, in place of SMs or of SMs and L1s",
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<TrafficParams>(); },
      [](const ParamSet& set) -> std::vector<PortSpec> {
        const auto& params = static_cast<const TrafficParams&>(set);
        if (params.place == TrafficPlace::sm)
          return {
              {"core", PortRole::initiator, params.ports, false, "tlm",
               "Line accesses of port i, to an L1; with `place: l1` the sockets are called `noc` and lead "
               "to a router stage"}};
        return {{"noc", PortRole::initiator, params.ports, false, "tlm",
                 "Line accesses of port i, to a router stage"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<TrafficAt>(name, static_cast<const TrafficParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<TrafficStats>(); },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<TrafficLt>(name, static_cast<const TrafficParams&>(params), context);
      }};
  return kind;
}

}  // namespace strata
