#include "models/noc/routing/routing_divide.h"

#include "models/noc/router/router_stage_params.h"

namespace strata {

RoutingDivide::RoutingDivide(const RouterStageParams& params, const AddressMap& map)
    : destination_(params.route),
      map_(map),
      divide_(static_cast<std::uint64_t>(params.divide)),
      outputs_(static_cast<std::uint64_t>(params.outputs)) {}

RouteStep RoutingDivide::route(const Access& access, int) const {
  return {static_cast<int>(destination_of(destination_, map_, access) / divide_ % outputs_)};
}

}  // namespace strata
