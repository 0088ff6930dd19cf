#include "models/noc/routing/routing.h"

#include "models/noc/router/router_stage_params.h"
#include "models/noc/routing/routing_divide.h"
#include "models/noc/routing/routing_table.h"

namespace strata {
namespace {

template <class Policy>
RoutingPolicy policy_row(std::string_view name, std::string_view sentence) {
  return {name, sentence,
          [](const RouterStageParams& params, const AddressMap& map) -> std::unique_ptr<Routing> {
            return std::make_unique<Policy>(params, map);
          }};
}

}  // namespace

const std::vector<RoutingPolicy>& routing_policies() {
  static const std::vector<RoutingPolicy> rows = {
      policy_row<RoutingDivide>("divide", "the number that `route` names, by `divide`, modulo outputs"),
      policy_row<RoutingTable>("table", "the entry of `table` with that number"),
  };
  return rows;
}

std::unique_ptr<Routing> make_routing(const RouterStageParams& params, const AddressMap& map) {
  return routing_policies()[static_cast<std::size_t>(params.routing)].make(params, map);
}

}  // namespace strata
